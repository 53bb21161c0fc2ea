/** Pages of Account Settings, by their path. */

/** No dots, no backslashes, no host: anybody can write such a link, and it must not lead elsewhere. */
const OWN_PAGE = /^\/account(\/[\w/-]*)?(\?[\w%&=.~+*-]*)?(#[\w-]*)?$/;

export const isOwnPage = (path: string): boolean => OWN_PAGE.test(path);
