.kernel k
    move i1, g1
    nop
    mtfpr f1, i1, all
    stopi 0
