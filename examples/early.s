; The product is read 3 cycles after it was issued; it arrives after 8.
        .kernel early
        cmul    f3, f1, f2
        | ldo   f4, (r0)+2
        nop
        cadd    f6, f3, f4
        | stopi 0
