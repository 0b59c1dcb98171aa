"""Looks at the data, then becomes its Redis: `python -m service.run_redis PROGRAM CONFIG`.

supervisord starts Redis anew whenever it ended. What ended it may have damaged its file as well, so
the look is taken before each start and not before the first alone.
"""

import os
import sys
from pathlib import Path

from service.aof import DamagedData, refuse_damaged


def main(program: Path, config: Path) -> str:
    """Replace this process by Redis; comes back only with the reason why it could not."""
    try:
        refuse_damaged(program, config.absolute().parent)
        os.execv(program, [str(program), str(config)])
    except DamagedData as error:
        return f"Redis cannot start: {error}"
    except OSError as error:
        return f"{program}: {error.strerror}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
