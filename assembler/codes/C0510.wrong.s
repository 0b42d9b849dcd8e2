.kernel k
    lwi f1, 0
