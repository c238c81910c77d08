"""What all tests share: signals as a terminal would have them."""

import signal

# Whoever runs the tests in the background may have told them to ignore Ctrl-C, and the programs
# that they start and interrupt would do so as well.
signal.signal(signal.SIGINT, signal.default_int_handler)
