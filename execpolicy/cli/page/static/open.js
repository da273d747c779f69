"use strict";
// Kept for this address and port alone: unlike a cookie, no other server of this machine gets to see it.
localStorage.setItem("execpolicy-key", document.body.dataset.key);
location.replace("/inbox");
