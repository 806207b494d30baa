"""Two bump recipes in which nothing is wrong: one with every key, and one with no key that has a default."""

COMPLETE = """\
repository: NVIDIA/Megatron-LM
base: dev
fingerprint: [docker/pin]
tracks:
  dev:
    image: nvcr.io/nvidia/pytorch
    tag: YY.MM-py3
    platforms: [linux/amd64, linux/arm64]
    pins:
      - path: docker/pin
        format: whole-file
      - path: ci.yml
        format: yaml-rows
        where:
          rows: [build, matrix]
          match: {IMAGE: DEV}
          key: BASE
          platform: PLATFORM
        count: 2
        platforms: [amd64, arm64]
        older_shapes:
          - where: {rows: [old, matrix], match: {IMAGE: DEV}, key: BASE}
      - {path: Dockerfile, format: dockerfile-arg, where: {arg: YYMM}, value: release}
    report:
      - {path: docs/install.md, why: prose}
    coupled:
      - name: NCCL
        path: Dockerfile
        pattern: 'NCCL=(?P<pin>(?P<version>[0-9.]+)\\+cuda(?P<cuda>[0-9.]+))'
        against: {version: NCCL_VERSION, cuda: CUDA_VERSION}
    title: 'chore: move to {tag}'
    labels: [Run functional tests]
    conflicting_labels: [Run tests]
pull_requests:
  template: .github/template.md
  author: user
  author_why: an App is nobody there
  approval: copy-pr-bot
  teams: [NVIDIA/mcore]
gitlab:
  project: group/project
  branches: [main]
schedule:
  track: dev
  cron: 17 6 * * mon-fri
  time_zone: America/Los_Angeles
  minimum_age: 2
  every_months: 2
  lag: 1
  skip: {26.05-py3: NCCL hangs}
"""

SMALL = """\
repository: owner/name
tracks:
  dev:
    image: nvcr.io/nvidia/pytorch
    tag: YY.MM-py3
    title: 'move to {tag}'
    pins:
      - {path: pin, format: whole-file}
"""


def replaced(text, old, new):
    assert text.count(old) == 1, f"{old!r} has to stand once in the recipe"
    return text.replace(old, new)
