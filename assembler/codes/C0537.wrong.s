.kernel k
    runi 0 @allow(C0455)
