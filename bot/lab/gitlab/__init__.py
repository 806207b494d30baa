"""A simulated GitLab: projects, files, pipelines, jobs, and the object storage behind them."""
