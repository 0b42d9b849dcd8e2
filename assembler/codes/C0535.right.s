.kernel k
    c.lt.ps cc6, f1, f2
    stopi 0
