def render(rows):
    out = []
    for r in rows:
        if r is None:
            continue
        out.append(" | ".join(r))
    return "\n".join(out)


def header(title):
    return title + "\n" + "=" * len(title)
