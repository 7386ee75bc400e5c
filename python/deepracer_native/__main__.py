"""``python -m deepracer_native COMMAND`` does what ``dr COMMAND`` does."""

import sys

from deepracer_native.commands import main

sys.argv[0] = "dr"
sys.exit(main())
