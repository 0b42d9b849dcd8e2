.kernel k
    if(cc1) copy f1, f2
    stopi 0
