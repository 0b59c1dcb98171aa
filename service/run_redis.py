"""Looks at the data, then becomes its Redis: `python -m service.run_redis PROGRAM CONFIG`.

supervisord starts Redis anew whenever it ended. What ended it may have damaged its file as well, so
the look is taken before each start and not before the first alone.
"""

import contextlib
import os
import sys
import time
from pathlib import Path

from service.aof import DamagedData, make_ready

STARTED = "redis-started"
"""The file by whose time the next start knows of this one."""
SOON: float = 5.0
"""Seconds: who was started less than that ago has ended at once, and may do so for hours."""
PAUSE: float = 2.0


def main(program: Path, config: Path) -> str:
    """Replace this process by Redis; comes back only with the reason why it could not."""
    data_dir = config.absolute().parent
    try:
        _pace(data_dir / STARTED)
        if (mended := make_ready(program, data_dir)) is not None:
            print(mended, file=sys.stderr, flush=True)
        os.execv(program, [str(program), str(config)])
    except DamagedData as error:
        return f"Redis cannot start: {error}"
    except OSError as error:
        return f"{program}: {error.strerror}"


def _pace(marker: Path) -> None:
    """Wait a little where Redis was started a moment ago. The marker's time is all there is to it."""
    if marker.exists() and 0 <= time.time() - marker.stat().st_mtime < SOON:
        time.sleep(PAUSE)
    with contextlib.suppress(OSError):  # on a full disk it may be missing
        marker.touch(mode=0o600)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
