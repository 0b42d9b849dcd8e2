    cadd f1, f2, f3 | lwi f4, 0
    | lwi f5, 1
