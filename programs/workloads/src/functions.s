; Every elementary function and argument reduction once in thirty bundles, one bundle in three; sums,
; products, loads and stores between them. The third program by which engines are measured. All words
; that it loads are in [1, 2).
        .kernel functions
        | seti g1, 400
        | seti a0, 0
        | seti m2, 63
        | seti a2, 128
        | seti n2, 3
        | lwi f4, 0
        | nop
        | do g1, last
        rrsin f1, f4 | lwo f8, (r0)+1
        psadd f20, f8, f9 | ldo f10, (r2)+2
        psmul f21, f10, f11 | seti a1, 4096
        recip f2.lo, f9.lo | lwo f9, (r0)+1
        cmul f22, f8, f9 | nop
        pssub f23, f10, f11 | swo f20, (r1)+1
        log2c f3.hi, f8.hi | nop
        caddsub f24, f8, f9, f25 | lwnp f12, (r2)+n2
        and f26, f8, f10 | nop
        rrcos f5, f9 | nop
        psmadd f21, f8, f9 | swo f22, (r1)+1
        psneg f27, f10 | nop
        exp2 f6.lo, f8.hi | lwo f13, (r0)+1
        psadd f28, f20, f23 | nop
        chmul f29, f8, f13 | sdo f24, (r1)+2
        sinc f7.hi, f1.lo | nop
        psmul f30, f2, f9 | swo f3, (r1)+1
        pssub f31, f24, f25 | nop
        rrcossin f14, f10 | nop
        psadd f32, f12, f8 | ldo f10, (r2)+2
        psabs f33, f31 | nop
        atanc f15.lo, f2.lo | swo f28, (r1)+1
        psmul f34, f13, f8 | nop
        cadd f35, f12, f13 | swo f29, (r1)+1
        rsqrt f16.hi, f13.lo | lwi f4, 77
        psmul f36, f7, f1 | nop
        pssub f37, f12, f9 | swo f36, (r1)+1
        rrlog2 f17, f12, f18 | nop
last:   psadd f38, f14, f5 | swo f16, (r1)+1
        psmul f39, f8, f12 | swo f17, (r1)+1
        | sync
        | stopi 0
