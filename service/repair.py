"""`make repair`: cuts the append-only file of a data folder off where it is damaged, and keeps a copy.

Trull refuses to start on such a file and names this command. What follows the damage is lost to the
store: a backup is better, where there is one (docs/operations.md).
"""

import os
import sys
from pathlib import Path

from service.aof import repair
from service.engine import EngineError, find_engine
from service.launch import take_lock


def main(data_dir: Path) -> int:
    """Mend the data of a folder that nothing runs on. Answers the exit code."""
    try:
        for name in ("up.lock", "programs.lock"):
            if take_lock(data_dir / name) is None:
                raise EngineError(f"Trull runs on {data_dir}: stop it first.")
        print(repair(find_engine(data_dir).path, data_dir))
    except (EngineError, OSError) as error:
        print(f"trull cannot repair: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(os.environ.get("TRULL_DATA_DIR") or "data").absolute()))
