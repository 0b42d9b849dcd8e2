    cadd f1, f1, f2
