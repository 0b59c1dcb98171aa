"""What is raised for a setting that cannot be used."""


class ConfigError(ValueError):
    """A setting that cannot be used; the message names the variable and says what would do."""
