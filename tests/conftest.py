"""What all tests share: signals and a path as in a terminal, and a core for each worker."""

import os
import signal
import sys
from pathlib import Path

# Whoever runs the tests in the background may have told them to ignore Ctrl-C, and the programs
# that they start and interrupt would do so as well.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Tests run beside each other, one on every core: where a test of several threads does not say
# otherwise, PyTorch's would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# As in an environment that is activated: the program is called by its name.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
