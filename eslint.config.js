import js from '@eslint/js';
import globals from 'globals';

const setterName = (name) => `set${name[0].toUpperCase()}${name.slice(1)}`;

/** Require `const [value, setValue] = useState(…)`. */
const stateSetter = {
  meta: { type: 'suggestion', schema: [], messages: { name: 'Name this setter {{expected}}.' } },
  create: (context) => ({
    'VariableDeclarator[init.callee.name="useState"][id.type="ArrayPattern"]'(node) {
      const [value, setter] = node.id.elements;
      if (!value || !setter) return;
      const expected = setterName(value.name);
      if (setter.name !== expected) context.report({ node: setter, messageId: 'name', data: { expected } });
    },
  }),
};

/** Allow one component (a function whose name begins with a capital letter) in a file. */
const oneComponent = {
  meta: { type: 'suggestion', schema: [], messages: { second: 'Move component {{name}} to a file of its own.' } },
  create(context) {
    let components = 0;
    return {
      'Program > FunctionDeclaration, Program > ExportNamedDeclaration > FunctionDeclaration'(node) {
        if (!/^[A-Z]/.test(node.id.name)) return;
        components += 1;
        if (components > 1) context.report({ node: node.id, messageId: 'second', data: { name: node.id.name } });
      },
    };
  },
};

export default [
  { ignores: ['**/*', '!abl_cards/', '!abl_cards/web/', '!abl_cards/web/static/', '!abl_cards/web/static/**', '**/vendor/'] },
  {
    files: ['abl_cards/web/static/**/*.js'],
    ...js.configs.recommended,
    plugins: { local: { rules: { 'one-component': oneComponent, 'state-setter': stateSetter } } },
    languageOptions: { ecmaVersion: 2024, sourceType: 'module', globals: globals.browser },
    rules: {
      ...js.configs.recommended.rules,
      'local/one-component': 'error',
      'local/state-setter': 'error',
      'max-len': ['error', { code: 120 }],
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_$' }],
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
];
