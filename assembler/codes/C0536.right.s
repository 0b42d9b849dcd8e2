.kernel k
    mtfpr f1, g1, all
    stopi 0
