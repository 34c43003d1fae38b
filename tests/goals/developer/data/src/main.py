"""Entry point."""
import sys

from parser import parse_line
from report import render


def main(argv):
    # TODO: use argparse
    rows = [parse_line(l) for l in open(argv[1])]
    print(render(rows))


if __name__ == "__main__":
    main(sys.argv)
