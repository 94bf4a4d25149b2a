"""What holds for every test: no property fails because the machine was busy."""

from hypothesis import settings

settings.register_profile("companion", settings(), deadline=None)
settings.load_profile("companion")
