"""The requirements of OWASP ASVS 5.0.0 at levels 1 and 2: the number in each section, counted from 1.

Those of level 3 have the last numbers of their sections, and are left out.
"""

SECTIONS = {
    "V1": (2, 9, 11, 3, 2),
    "V2": (3, 3, 4, 1),
    "V3": (0, 2, 4, 6, 5, 0, 2),
    "V4": (3, 1, 2, 4),
    "V5": (1, 3, 2, 3),
    "V6": (3, 12, 4, 4, 5, 3, 0, 4),
    "V7": (3, 4, 2, 5, 2, 2),
    "V8": (2, 3, 1, 1),
    "V9": (3, 4),
    "V10": (2, 2, 4, 11, 5, 2, 3),
    "V11": (2, 3, 3, 4, 1, 1, 0),
    "V12": (3, 2, 4),
    "V13": (1, 5, 2, 5),
    "V14": (2, 4, 3),
    "V15": (3, 3, 7, 0),
    "V16": (1, 5, 4, 3, 3),
    "V17": (1, 4, 2),
}
REQUIREMENTS = [
    f"{chapter}.{section}.{number}"
    for chapter, counts in SECTIONS.items()
    for section, count in enumerate(counts, start=1)
    for number in range(1, count + 1)
]
