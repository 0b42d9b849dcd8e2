.kernel k
    move i1, g1
    mtfpr f1, i1, all
    stopi 0
