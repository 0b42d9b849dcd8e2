    cadd f1, f2, f63
