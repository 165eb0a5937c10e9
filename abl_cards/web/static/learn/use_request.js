// Hook useRequest: the answer of the server to a GET request, and its error, until the path changes.
import { useEffect, useState } from '../html.js';
import { request } from '../link.js';

export function useRequest(path) {
  const [state, setState] = useState({ path: '', value: null, problem: '' });
  useEffect(() => {
    let isCurrent = true;
    request(path).then(
      (value) => isCurrent && setState({ path, value, problem: '' }),
      (error) => isCurrent && setState({ path, value: null, problem: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [path]);
  return state.path === path ? state : { path, value: null, problem: '' };
}
