// says: has no kernel 'add'
