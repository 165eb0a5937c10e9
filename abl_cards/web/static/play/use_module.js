// Hook useModule: a module that is loaded after the first paint, once it is wanted; null until then.
import { loadModule, useEffect, useState } from '../html.js';

export function useModule(name, isWanted = true) {
  const [module, setModule] = useState(null);
  useEffect(() => {
    if (isWanted && !module) loadModule(name).then(setModule);
  }, [isWanted]);
  return module;
}
