    cadd f2, f3, f4 | lwi f1, 0
