    cadd f1, f2
