/** The styles of the page around the elements. Their colors are the elements' own, so that both are one. */
export const LAYOUT_STYLES = `
:root{color-scheme:light dark;--accent:var(--idea-bank-accent,light-dark(#2a4fd0,#a3b8ff));--text:light-dark(#171a21,#eceef3);
--muted:light-dark(#586072,#a3abbb);--background:light-dark(#fff,#16181e);--border:light-dark(#e1e4ea,#323640)}
*{box-sizing:border-box}
body{margin:0;background:var(--background);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
:is(.page-head,.page-hero,.page-tabs,main,.page-foot){max-width:52rem;margin-inline:auto;padding-inline:clamp(.75rem,3vw,1.5rem)}
:where(body) a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
main:focus{outline:0}
.skip{position:absolute;inset-inline-start:.5rem;inset-block-start:-4rem;background:var(--background);padding:.5rem 1rem;z-index:1}
.skip:focus{inset-block-start:.5rem}
.page-head{display:flex;gap:1rem;align-items:center;justify-content:space-between;padding-block:.75rem}
.page-brand{display:flex;flex:1 1 auto;gap:.6rem;align-items:center;min-width:5rem;font-weight:600;color:inherit;text-decoration:none}
.page-brand img{flex:none;border-radius:6px;object-fit:contain}
.page-brand span,[data-name]{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.page-who{min-height:2.75rem;display:flex;align-items:center;min-width:0}
.page-who [data-signed-in]:not([hidden]){display:flex;gap:.75rem;align-items:center;min-width:0}
.page-who form{margin:0}
.page-button{white-space:nowrap;display:inline-flex;align-items:center;min-height:2.75rem;padding:0 1rem;border:1px solid var(--border);border-radius:8px;
background:none;color:inherit;font:inherit;text-decoration:none;cursor:pointer}
.page-button[hidden]{display:none}
.page-button:hover{border-color:var(--accent)}
.page-tabs{display:flex;gap:.25rem;overflow-x:auto;border-block-end:1px solid var(--border)}
.page-tabs a{flex:none;padding:.65rem .75rem;color:var(--muted);text-decoration:none;border-block-end:2px solid transparent}
.page-tabs a:hover{color:var(--text)}
.page-tabs a[aria-current]{color:var(--text);font-weight:600;border-color:var(--accent)}
.page-hero{padding-block:.75rem 1rem}
.page-hero p{margin:0}
.page-name{font-size:1.6rem;font-weight:700;line-height:1.3}
.page-name a{color:inherit;text-decoration:none}
.page-hero p:not(.page-name){margin-block-start:.35rem;color:var(--muted)}
main{padding-block:1.25rem 3rem}
idea-bank-board::part(title),idea-bank-board .head .title,:is(idea-bank-roadmap,idea-bank-changelog)::part(header),
:is(idea-bank-roadmap,idea-bank-changelog) .root .head,.page-unseen{position:absolute;clip-path:inset(50%);inline-size:1px;block-size:1px;overflow:hidden;white-space:nowrap}
idea-bank-board::part(header),idea-bank-board .root .head{min-block-size:1rem;border:0;padding-block-end:0}
@media (scripting:none){idea-bank-board .root .head,[data-signed-out]{display:none}}
@media (max-width:30rem){.page-tabs{gap:0}.page-tabs a{padding-inline:.5rem}}
:dir(rtl) .page-hero *{text-align:right}
.page-note{margin:0 0 1rem;padding:.75rem 1rem;border:1px solid var(--border);border-radius:8px;color:var(--muted)}
.page-surveys{list-style:none;margin:0;padding:0;display:grid;gap:.75rem}
.page-surveys a{display:block;padding:1rem;border:1px solid var(--border);border-radius:12px;text-decoration:none;color:inherit}
.page-surveys a:hover{border-color:var(--accent)}
.page-surveys strong{display:block}
.page-surveys span{color:var(--muted)}
h1{font-size:1.5rem;line-height:1.3;margin:0 0 1rem}
.page-foot{padding-block:1.5rem;border-block-start:1px solid var(--border);font-size:.9rem}
.page-foot nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.page-foot a{color:var(--muted);display:inline-block;padding-block:.35rem}
.page-foot a[aria-current]{color:var(--text);font-weight:600;text-decoration:none}
@media print{.page-who,.page-tabs,.page-foot,.skip{display:none}}
`;
