.kernel k
    stop g1
