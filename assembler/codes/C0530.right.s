.kernel k
    mtc f1, fcsr
    stopi 0
