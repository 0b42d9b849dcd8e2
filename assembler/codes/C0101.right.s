    cadd f1, f2, f3 | ldo f4, (r0)+2
