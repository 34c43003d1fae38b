"""Verdicts about robots.txt, with those of Protego and urllib.robotparser.

Usage: robots_cases.py > robots_cases.json. Needs Protego 0.7. `allowed` is what RFC 9309 says, written by hand.
"""
import json
import urllib.robotparser
from protego import Protego

A = "User-agent: *\n"
LONG = "urllib takes the first rule, not the longest"
STAR = "urllib has no wildcards"
ENC = "urllib decodes all of the path"
CASES = [
    # file, agent, path, allowed, why a peer differs
    ("", "svc", "/", True, ""),
    ("hello\nworld", "svc", "/", True, ""),
    (A + "Disallow:", "svc", "/x", True, ""),
    (A + "Disallow: /", "svc", "/x", False, ""),
    (A + "Disallow: /", "svc", "/robots.txt", True, "RFC 9309 2.2.2: /robots.txt is always allowed"),
    (A + "Disallow: /fish", "svc", "/fish", False, ""),
    (A + "Disallow: /fish", "svc", "/fish.html", False, ""),
    (A + "Disallow: /fish", "svc", "/fishheads/yummy.html", False, ""),
    (A + "Disallow: /fish", "svc", "/Fish.asp", True, ""),
    (A + "Disallow: /fish", "svc", "/catfish", True, ""),
    (A + "Disallow: /fish/", "svc", "/fish", True, ""),
    (A + "Disallow: /fish/", "svc", "/fish/", False, ""),
    (A + "Disallow: /fish/", "svc", "/animals/fish/", True, ""),
    (A + "Disallow: fish", "svc", "/fish", True, ""),
    (A + "Disallow: /fish*", "svc", "/fish.html", False, STAR),
    (A + "Disallow: /*.php", "svc", "/index.php", False, STAR),
    (A + "Disallow: /*.php", "svc", "/folder/any.php.file.html", False, STAR),
    (A + "Disallow: /*.php", "svc", "/", True, ""),
    (A + "Disallow: /*.php", "svc", "/windows.PHP", True, ""),
    (A + "Disallow: /*.php$", "svc", "/folder/filename.php", False, STAR),
    (A + "Disallow: /*.php$", "svc", "/filename.php?parameters", True, ""),
    (A + "Disallow: /*.php$", "svc", "/filename.php/", True, ""),
    (A + "Disallow: /*.php$", "svc", "/a.php.php", False, STAR),
    (A + "Disallow: /fish*.php", "svc", "/fishheads/catfish.php?x", False, STAR),
    (A + "Disallow: /a$", "svc", "/a", False, STAR),
    (A + "Disallow: /a$", "svc", "/ab", True, ""),
    (A + "Disallow: /a$b", "svc", "/a$b", False, ""),
    (A + "Disallow: /a*b*c", "svc", "/axbxc", False, STAR),
    (A + "Disallow: /a*b*c", "svc", "/acb", True, ""),
    (A + "Disallow: /a**b", "svc", "/axb", False, STAR),
    (A + "Disallow: /*/*/x$", "svc", "/1/2/x", False, STAR),
    (A + "Disallow: *", "svc", "/x", False, STAR),
    (A + "Disallow: *.gif$", "svc", "/a.gif", False, STAR),
    (A + "Allow: /p\nDisallow: /", "svc", "/page", True, ""),
    (A + "Disallow: /\nAllow: /p", "svc", "/page", True, LONG),
    (A + "Disallow: /folder\nAllow: /folder", "svc", "/folder/page", True, LONG),
    (A + "Allow: /folder\nDisallow: /folder", "svc", "/folder/page", True, ""),
    (A + "Allow: /page\nDisallow: /*.htm", "svc", "/page.htm", False, STAR + "; octets of the rule count"),
    (A + "Allow: /$\nDisallow: /", "svc", "/", True, STAR),
    (A + "Allow: /$\nDisallow: /", "svc", "/page.htm", False, ""),
    (A + "Disallow: /a/\nAllow: /a/b/\nDisallow: /a/b/c", "svc", "/a/b/d", True, LONG),
    (A + "Disallow: /a/\nAllow: /a/b/\nDisallow: /a/b/c", "svc", "/a/b/c/d", False, ""),
    (A + "Disallow: /x?a=1", "svc", "/x?a=1&b=2", False, ""),
    (A + "Disallow: /x?a=1", "svc", "/x", True, ""),
    (A + "Disallow: /*?", "svc", "/x?a", False, STAR),
    (A + "Disallow: /a%3cd.html", "svc", "/a%3Cd.html", False, ""),
    (A + "Disallow: /a%3Cd.html", "svc", "/a%3cd.html", False, ""),
    (A + "Disallow: /~joe", "svc", "/%7Ejoe/x", False, ""),
    (A + "Disallow: /%7Ejoe", "svc", "/~joe/x", False, ""),
    (A + "Disallow: /a%2fb", "svc", "/a/b", True, ENC),
    (A + "Disallow: /a/b", "svc", "/a%2Fb", True, ENC),
    (A + "Disallow: /foo/bar/\u30c4", "svc", "/foo/bar/%E3%83%84", False, ""),
    (A + "Disallow: /foo/bar/%E3%83%84", "svc", "/foo/bar/\u30c4", False, ""),
    (A + "Disallow: /foo/bar/%62%61%7A", "svc", "/foo/bar/baz", False, ""),
    (A + "Disallow: /a%2A", "svc", "/a*", False, ""),
    (A + "Disallow: /a%2A", "svc", "/ab", True, ""),
    (A + "Disallow: /100%", "svc", "/100%", False, ""),
    ("User-agent: svc\nDisallow: /", "svc/1.0", "/x", False, ""),
    ("User-agent: SVC\nDisallow: /", "svc", "/x", False, ""),
    ("User-agent: svc/2.0\nDisallow: /", "svc", "/x", False, "the peers compare the version of the file, RFC 9309 only the product token"),
    ("User-agent: other\nDisallow: /", "svc", "/x", True, ""),
    ("User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /b", "svc", "/b", False, ""),
    ("User-agent: svc\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "svc", "/b", True, ""),
    ("User-agent: *\nDisallow: /\n\nUser-agent: svc\nDisallow: /a", "svc", "/b", True, ""),
    ("User-agent: svc\nDisallow: /a\n\nUser-agent: svc\nDisallow: /b", "svc", "/b", False, "urllib takes the first group"),
    ("User-agent: svc\nDisallow: /a\n\nUser-agent: svc\nDisallow: /b", "svc", "/a", False, ""),
    ("User-agent: x\nUser-agent: svc\nDisallow: /a", "svc", "/a", False, ""),
    ("User-agent: x\n\nUser-agent: svc\nDisallow: /a", "x", "/a", False, "urllib ends a group at an empty line"),
    ("User-agent: x\nSitemap: https://a.example/s\nUser-agent: svc\nDisallow: /a", "x", "/a", False, "Protego and urllib differ about other lines in a group"),
    ("User-agent: x\nCrawl-delay: 3\nUser-agent: svc\nDisallow: /a", "x", "/a", True, ""),
    ("\ufeffUser-agent: *\nDisallow: /a", "svc", "/a", False, "the peers keep the mark; RFC 9309 2.3: the file is UTF-8, and browsers and crawlers skip it"),
    ("User-agent: *\r\nDisallow: /a\r\n", "svc", "/a", False, ""),
    ("User-agent: *\rDisallow: /a\r", "svc", "/a", False, ""),
    ("user-AGENT : *  # all\n  disALLOW :   /a   # no", "svc", "/a", False, ""),
    ("Disallow: /a\nUser-agent: *\nDisallow: /b", "svc", "/a", True, ""),
    ("Useragent: *\nDisalow: /a", "svc", "/a", False, "urllib knows no misspellings"),
    (A + "Disallow: /a b", "svc", "/a%20b", False, ""),
    (A + "Disallow: /a#b", "svc", "/a", False, ""),
    (A + "Noindex: /a\nDisallow: /b", "svc", "/b", False, ""),
    (A + "Disallow /a", "svc", "/a", False, "urllib wants the colon"),
    ("<html><body>User-agent: * Disallow: /</body></html>", "svc", "/a", True, ""),
]


def urllib_says(file, agent, path):
    reader = urllib.robotparser.RobotFileParser()
    reader.parse(file.splitlines())
    return reader.can_fetch(agent, path)


def main():
    cases = []
    for file, agent, path, allowed, why in CASES:
        protego = Protego.parse(file).can_fetch(path, agent)
        urllib = urllib_says(file, agent, path)
        same = protego == allowed == urllib
        if not same and not why:
            why = f"UNEXPLAINED protego {protego} urllib {urllib}"
        cases.append(dict(file=file, agent=agent, path=path, allowed=allowed, protego=protego, urllib=urllib,
                          why="" if same else why))
    lines = ",\n".join(json.dumps(it, ensure_ascii=True) for it in cases)
    print(f"[\n{lines}\n]")


main()
