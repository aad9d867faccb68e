"""A plot of figures as SVG, without any library: the same figures give the same file."""

WIDTH, HEIGHT, TOP, LEFT, BELOW = 300, 180, 34, 12, 44
COLOURS = ("#33658a", "#f6ae2d")

def bars(title, names, series):
    """A panel of bars: for each name, a bar of each series `(what, values, format)`."""
    most = max(value for _, values, _ in series for value in values) or 1
    step = (WIDTH - 2 * LEFT) / len(names)
    thick = step * 0.8 / len(series)
    parts = [f'<text x="{LEFT}" y="14" font-weight="bold">{title}</text>']
    for at, (what, _, _) in enumerate(series):
        if what:
            parts.append(f'<rect x="{LEFT + at * 130}" y="21" width="8" height="8" fill="{COLOURS[at]}"/>')
            parts.append(f'<text x="{LEFT + 12 + at * 130}" y="29">{what}</text>')
    for place, name in enumerate(names):
        x = LEFT + place * step
        for at, (_, values, form) in enumerate(series):
            tall = values[place] / most * (HEIGHT - TOP - 14)
            left, top = x + step * 0.1 + at * thick, HEIGHT - tall
            parts.append(f'<rect x="{left:.1f}" y="{top:.1f}" width="{thick:.1f}" height="{tall:.1f}" fill="{COLOURS[at]}"/>')
            parts.append(f'<text x="{left + thick / 2:.1f}" y="{top - 3:.1f}" text-anchor="middle" font-size="8">{form(values[place])}</text>')
        for row, line in enumerate(name.split("\n")):
            parts.append(f'<text x="{x + step / 2:.1f}" y="{HEIGHT + 13 + 11 * row}" text-anchor="middle">{line}</text>')
    return parts

def draw(panels, file):
    """Puts panels next to each other."""
    wide, high = WIDTH * len(panels), HEIGHT + BELOW
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
             'font-family="sans-serif" font-size="9">', f'<rect width="{wide}" height="{high}" fill="white"/>']
    for at, panel in enumerate(panels):
        lines += [f'<g transform="translate({at * WIDTH} 0)">', *panel, "</g>"]
    file.write_text("\n".join([*lines, "</svg>\n"]))
