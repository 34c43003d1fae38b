import re

LINE = re.compile(r"(\S+) (\S+) (.*)")


# TODO: support multi-line records
def parse_line(line):
    m = LINE.match(line)
    if not m:
        # TODO: count the bad lines
        return None
    return m.groups()


def parse_level(word):
    return word.strip().upper()


def is_blank(line):
    return not line.strip()


def parse_all(lines):
    # TODO: stream instead of a list
    return [parse_line(l) for l in lines if not is_blank(l)]
