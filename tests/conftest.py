"""What all tests share: signals as a terminal would have them, and a core for each worker."""

import os
import signal

# Whoever runs the tests in the background may have told them to ignore Ctrl-C, and the programs
# that they start and interrupt would do so as well.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Tests run beside each other, one on every core: where a test of several threads does not say
# otherwise, PyTorch's would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
