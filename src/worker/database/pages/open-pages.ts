/** SQL: the idea bank `b` of the account `a` has a public page, and it is open. */
export const isOpenPage = "b.public_page = 1 AND b.status = 'OPEN' AND a.status = 'active'";
