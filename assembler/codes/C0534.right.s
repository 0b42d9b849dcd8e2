.kernel k
    psaddsub f1, f2, f3, f4
    stopi 0
