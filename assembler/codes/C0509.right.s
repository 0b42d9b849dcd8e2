.kernel k
    lwi f1, 0
    stopi 0
