; A loop of operations of every kind: the second program by which engines are measured.
        .kernel mixed
        | seti g1, 400
        | seti a0, 0
        | seti a1, 4096
        | seti m2, 63
        | seti a2, 128
        | seti n2, 3
        | seti g2, 64
        | move rstep, g2
        li3 f20, 0x3f00
        li1 f21, 0x3f00
        | do g1, last
        cbutterfly2 f28, f29, f20 | seti a3, 9
        cmul f1, f2, f3 | lwo f4, (r0)+1
        psadd f5, f6, f20 | ldo f8, (r2)+2
        psmul f7, f20, f4 | seti g3, 17
        add f10, f4, f5 | move i1, g3
        c.lt.ps cc1, f5, f7 | swo f1, (r1)+1
        cmadd f12, f20, f21 | mtfpr f30, g3, all
        psaddsub f13, f8, f9, f14 | psprmsgn0 f16, f8, 0, 1, 2, -3
        getcoeff f15 | lwnp f18, (r2)+n2
        and f22, f4, f10 | updaddr (r0)+1
        mvmul f24, f4, f8, f25 | sdo f16, (r1)+2
        psneg f26, f4
        lshifti f27, f22, -3 | move g4, i1
        cneg f35, f8 | lwi f29, 77
        if(cc1) cadd f31, f4, f9 | lwi f28, 78
        copy f3, f15 | mffpr g5, f4, s2
        psabs f2, f26
last:   xor f33, f22, f27 | seti a1, 4096
        chmul f34, f8, f15
        | sync
        | stopi 0
