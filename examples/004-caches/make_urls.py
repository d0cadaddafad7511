#!/usr/bin/env python3
"""50,000 requests as a site's log has them: a few pages are asked for often and most of them rarely (Zipf), and their sizes
are spread as those of pages are (lognormal, median 8 KB). One URL a line, the same for the same seed."""
import random, sys

requests, pages, seed = int(sys.argv[1]), int(sys.argv[2]), 4
chance = random.Random(seed)
sizes = [max(200, min(300_000, int(chance.lognormvariate(9, 1)))) for _ in range(pages)]
weights = [1 / (rank + 1) ** 0.9 for rank in range(pages)]
for page in chance.choices(range(pages), weights, k=requests):
    print(f"http://site.test/c{page % 10}/{page}.html?size={sizes[page]}")
