.kernel k
    stopi 0
    lwi f1, 0
