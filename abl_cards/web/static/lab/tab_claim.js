// Claim a laboratory for this tab: a tab that was duplicated gets a copy instead of writing into the same files.
const RETRY = 400;

function tryClaim(name) {
  return new Promise((resolve) => {
    navigator.locks.request(`lab-${name}`, { ifAvailable: true }, (lock) => {
      if (!lock) {
        resolve(null);
        return undefined;
      }
      return new Promise((release) => resolve(release));
    });
  });
}

// Return a function that gives the claim back, or null if another tab has it. Without locks every claim succeeds.
export async function claimLab(name) {
  if (!navigator.locks) return () => {};
  const claim = await tryClaim(name);
  if (claim) return claim;
  await new Promise((resolve) => setTimeout(resolve, RETRY)); // a page that is being reloaded still has it
  return tryClaim(name);
}
