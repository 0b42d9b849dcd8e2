    lwi f1, 0 | cadd f2, f3, f4
