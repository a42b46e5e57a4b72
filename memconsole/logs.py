"""What of the log is made shorter."""

import logging


class OnlyAWarning(logging.Filter):
    """An error of somebody else's making: one line, without the stack of our own calls."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno > logging.WARNING:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info = record.exc_text = None
        return True
