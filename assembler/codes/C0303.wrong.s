    cadd f1, f2, g3
