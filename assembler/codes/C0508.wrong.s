.kernel k
    if(cc1) | lwi f1, 0
    stopi 0
