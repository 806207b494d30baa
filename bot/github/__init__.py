"""GitHub behind the port `CodeHost`: the only home of PyGithub."""
