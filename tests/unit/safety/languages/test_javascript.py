"""What of JavaScript's programs only requires, looks at and prints."""

from __future__ import annotations

from execpolicy.safety.languages.javascript import program_locations, program_refusal
from tests.support.each import each

READING = (
    "require('./package.json').version",
    "console.log(require('./package.json').scripts)",
    "console.log(Object.keys(require('./package.json').dependencies).join(','))",
    "console.log(process.version)",
    "try{console.log(require.resolve('@openai/codex-sdk'))}catch(e){console.error(e.message); process.exit(1)}",
    "const p = require('./package.json'); console.log(p.name + '@' + p.version)",
    "console.log(JSON.parse(require('fs').readFileSync('package.json','utf8')).name)",
    "1+1",
    "console.log('test')",
    "JSON.stringify(require('./tsconfig.json'), null, 2)",
    "console.log(require('react/package.json').version)",
)
DOING_MORE = (
    "JSON.stringify(JSON.parse('{\"rm x\":1}'), require('child_process').execSync)",
    "JSON.parse('{\"rm x\":1}', require('child_process').execSync)",
    "JSON.stringify(1, (require('child_process').execSync))",
    "JSON.stringify(1,",
    "require('child_process').execSync('x')",
    "process.env",
    "console.log(process.env.X)",
    "process.env.X",
    "require('./x.js')",
    "require('../deploy')",
    "require('/tmp/x')",
    "require('./a.json')(1)",
    "eval('x')",
    "new Function('x')()",
    "[].constructor.constructor('x')()",
    "(()=>1)()",
    "function f(){}; f()",
    "fetch('x')",
    "import('x')",
    "require('fs').writeFileSync('x','y')",
    "require('fs').readFileSync('.env')",
    "const r=require('fs'); r.writeFileSync('x','')",
    "const console = require('child_process'); console.log('x')",
    "let JSON=require('x'); JSON.parse('x')",
    "Object.keys = require('child_process').execSync",
    "console.log = require('child_process').execSync; console.log('rm')",
    "process.exit = 1",
    "`${1}`",
    "console.log(`x`)",
    "/x/.test('y')",
    "a=1",
    "console.log(x)",
    "process.binding('x')",
    "process.mainModule.require('x')",
    "module.require('child_process')",
    "globalThis.process.env",
    "this.process.env",
    "require",
    "require.main",
    "require(1)",
    "require('a'+'b')",
    "x: 1",
    "process['env']",
    "console['log']('x')",
    "require('child_process')['execSync']('x')",
    "process.argv[0]['x']('y')",
    "const p=process; p.env",
    "const {env}=process",
    "require('x').toString()",
    "require('x').y.join(1)",
    "const e=require('x'); e.join('x')",
    "'a'.split('b').map(eval)",
    "console.log('a'",
    "console.log('a'))",
    "require('foo/bin/x')",
    "require('node:fs').rmSync('x')",
    "require('..')",
    "require('.')",
    "require('child_process').execSync <!-- 1 +\n('rm x')",
    "require('child_process').execSync<1>('rm x')",
    "1 // x\nx",
    "console.log(1)\n(2)",
)


@each("program", READING)
def test_what_looks_and_prints(program: str) -> None:
    assert program_refusal(program) is None


@each("program", DOING_MORE)
def test_what_does_more_is_refused(program: str) -> None:
    assert program_refusal(program) is not None


def test_what_it_reads_must_lie_in_the_project() -> None:
    program = "console.log(require('../a.json').x, require('fs').readFileSync('/etc/passwd'))"
    assert program_refusal(program) is None
    assert [one.text for one in program_locations(program)] == ["../a.json", "/etc/passwd"]
