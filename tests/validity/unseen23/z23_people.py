"""The five people of the simulation: how they speak, their files, shell programs and settings."""
KINDS_OF_WORK = ("bugfix feature refactor tests docs deploy config deps investigate review perf data").split()


def table(text):
    """Lines 'key: a | b | c' as a dict of lists."""
    rows = (line.split(":", 1) for line in text.strip().splitlines())
    return {key.strip(): [part.strip() for part in rest.split(" | ")] for key, rest in rows}


def settings(text):
    """Lines 'KEY ; words ; type ; command / command ; failure' as a list of dicts."""
    found = []
    for line in text.strip().splitlines():
        key, words, sort, commands, failure = (part.strip() for part in line.split(";"))
        found.append(dict(key=key, words=words, sort=sort, commands=commands.split(" / "), failure=failure))
    assert len(found) == 12, len(found)
    return found


MOBILE = dict(
    name="mobile", user="lena", cwd="/Users/lena/AndroidStudioProjects/trailmate", hours=(9, 19), zone=1, lower=True,
    branch="feature/offline-maps", dirs=["app/src/main/java/io/trailmate/ui", "app/src/main/java/io/trailmate/data", "core/src/main/java/io/trailmate/core"],
    stems="Route Track Login Profile Map Tile Sync Badge Photo Weather Altitude Session Settings Friends Invite Journal Export Upload Region Marker Compass Payment".split(),
    pairs=[("ViewModel.kt", "ViewModelFactory.kt"), ("Repository.kt", "RepositoryImpl.kt"), ("Screen.kt", "Screens.kt"), ("Mapper.kt", "Mappers.kt"), ("Dao.kt", "DaoV2.kt")],
    singles=["Adapter.kt", "Worker.kt", "Theme.kt"], config="local.properties", rules="CLAUDE.md",
    code=["class {s} @Inject constructor(", "    private val {v}: {s}Source,", "    fun {v}(id: String): Flow<{s}> = source.observe(id)", "        .map {{ it.toUi() }}", "    private val _{v} = MutableStateFlow<UiState>(UiState.Loading)", "    val {v} = _{v}.asStateFlow()", "    viewModelScope.launch {{", "        runCatching {{ repo.{v}() }}", "            .onFailure {{ Timber.e(it, \"{v} failed\") }}", "    }}", "    @Composable fun {s}Card(state: {s}Ui, onClick: () -> Unit) {{", "        Text(state.title, style = MaterialTheme.typography.body{n})", "    companion object {{ const val TAG = \"{s}\"; const val LIMIT = {n} }}", "    // keep in sync with the backend, see TRAIL-{n}"],
    test=["./gradlew :app:testDebugUnitTest --tests '*{S}*'", "./gradlew testDebugUnitTest", "./gradlew :core:test"],
    passed="> Task :app:testDebugUnitTest\n\nBUILD SUCCESSFUL in {n}s\n{m} actionable tasks: 6 executed", failed="> Task :app:testDebugUnitTest FAILED\n\n{S}Test > emits state after reload FAILED\n    java.lang.AssertionError: expected:<Ready> but was:<Loading>\n\n{m} tests completed, 1 failed",
    build=["./gradlew assembleDebug", "./gradlew :app:lintDebug", "./gradlew ktlintCheck"],
    programs=table("""
bugfix: adb logcat -d -t 200 | ./gradlew :app:compileDebugKotlin
feature: ./gradlew :app:kaptDebugKotlin | adb shell am start -n io.trailmate/.MainActivity
refactor: ./gradlew ktlintFormat | ./gradlew :app:compileDebugKotlin
tests: ./gradlew koverHtmlReport | adb shell am instrument -w io.trailmate.test
docs: ./gradlew dokkaHtml | npx markdownlint docs
deploy: bundle exec fastlane beta | ./gradlew bundleRelease
config: ./gradlew signingReport | ./gradlew :app:properties
deps: ./gradlew dependencyUpdates | ./gradlew :app:dependencies --configuration releaseRuntimeClasspath
investigate: adb shell dumpsys meminfo io.trailmate | adb bugreport out.zip
review: gh pr diff 212 | gh pr checks 212
perf: ./gradlew :benchmark:connectedCheck | adb shell dumpsys gfxinfo io.trailmate
data: sqlite3 trail.db .schema | python3 scripts/convert_gpx.py samples"""),
    settings=settings("""
API_HOST ; the api host ; host ; curl -sS https://{v}/v1/health / curl -s https://{v}/v1/tiles/12 ; curl: (6) Could not resolve host: {v}
EMULATOR ; the emulator ; id:pixel ; emulator -avd {v} -no-window / adb -s {v} install app-debug.apk ; PANIC: Unknown AVD name [{v}]
ADB_PORT ; the adb port ; port ; adb -P {v} devices / adb -P {v} shell getprop ; error: cannot connect to daemon at tcp:{v}: Connection refused
RELEASE_BRANCH ; the release branch ; branch ; git fetch origin {v} / git log origin/{v} --oneline -5 ; fatal: couldn't find remote ref {v}
VERSION_NAME ; the version name ; version ; ./gradlew bundleRelease -PversionName={v} / gh release view v{v} ; release not found: v{v}
FIREBASE_APP ; the firebase app id ; id:fb ; firebase appdistribution:distribute app.apk --app {v} / firebase apps:sdkconfig android {v} ; Error: App {v} does not exist
MAP_STYLE ; the map style id ; id:style ; curl -s https://tiles.trailmate.io/styles/{v}.json / node scripts/style.js --style {v} ; 404 style {v} was removed
PLAY_TRACK ; the play store track ; id:track ; bundle exec fastlane supply --track {v} / bundle exec fastlane promote from:{v} ; Google Api Error: Track not found: {v}
KEY_ALIAS ; the signing key alias ; id:key ; keytool -list -keystore rel.jks -alias {v} / jarsigner -verify app.aab {v} ; keytool error: Alias <{v}> does not exist
SENTRY_PROJECT ; the sentry project ; id:sen ; sentry-cli releases list --project {v} / sentry-cli upload-proguard --project {v} map.txt ; error: project {v} not found
GRADLE_VERSION ; the gradle version ; version ; ./gradlew wrapper --gradle-version {v} / sdk use gradle {v} ; Could not find gradle-{v}-bin.zip
STAGING_DB ; the staging db port ; port ; psql -h 10.0.2.2 -p {v} -c 'select 1' / pg_isready -p {v} ; psql: error: port {v} failed: Connection refused"""),
    asks=table("""
bugfix: {f} crashes when you rotate the phone on the {mod} screen | users on android 13 see an empty {mod} list, pls find out and fix it | the {mod} spinner never goes away if you're offline. {f} i think | {sym} gives the wrong value after logout, fix | got an NPE in {f} from crashlytics, can you fix it
feature: add pull to refresh to {mod}, start in {f} | i want a share button on the {mod} screen | let people sort {mod} by date and by distance | {mod} should work offline too, cache it in {f} | add an undo snackbar when a {mod} is deleted
refactor: {f} is a mess, split it up | move the {mod} logic out of {f2} into {f} | can we get rid of livedata in {f} | rename {sym} to something sane everywhere | make {f} use the shared loading state
tests: {f} has no tests at all, write some | add a test for {sym} when the list is empty | cover the error path of {f} | need a turbine test for the {mod} flow | tests for {f} and {f2} pls
docs: write kdoc for {f} | the readme part about {mod} is old, update it | changelog entry for the {mod} work | describe how {sym} works in docs | a short page on {mod} for the new guy
deploy: put a beta out with the {mod} stuff | ship it to internal testers | new release please, {mod} is in | upload the build and the mapping file | get the {mod} hotfix on the play track
config: add a debug flag for {mod} | clean up the build config around {f} | the ci job for {mod} needs the new keys | set up a staging flavor for {mod} | turn on r8 full mode and check {f} survives
deps: bump compose and see if {f} still builds | update the room version, {f} uses it | drop the old {mod} library | are we ok to go to kotlin 2.1? {f} worries me | renovate opened 5 prs, deal with the {mod} one
investigate: why does {mod} take so long on cold start | who calls {sym} and when | what's the difference between {f} and {f2} | battery drain seems to come from {mod}, look into it | how does {mod} decide what to upload
review: have a look at pr about {mod} | check my changes in {f} before i push | review {f2} for leaks | is {sym} thread safe | does the {mod} diff look fine to you
perf: scrolling in {mod} stutters, profile it | {sym} allocates like crazy | cut the startup work in {f} | {mod} tiles load slow, cache them better | get {f} below 16ms per frame
data: import the sample {mod}s into the local db | migration for the {mod} table, see {f} | convert the old {mod} json | export all {mod}s as gpx | check how many {mod} rows have no id"""))

BANK = dict(
    name="bank", user="m.okafor", cwd="/home/m.okafor/git/payments-core", hours=(8, 17), zone=0, lower=False,
    branch="develop", dirs=["src/main/java/com/norbank/payments/service", "src/main/java/com/norbank/payments/domain", "src/main/java/com/norbank/payments/web"],
    stems="Account Transfer Ledger Mandate Settlement Statement Limit Currency Beneficiary Sanction Posting Clearing Fee Audit Customer Balance Reversal Batch Notification Schedule Card Quote".split(),
    pairs=[("Service.java", "ServiceImpl.java"), ("Mapper.java", "MapperConfig.java"), ("Dto.java", "DtoV2.java"), ("Controller.java", "ControllerAdvice.java"), ("Validator.java", "Validators.java")],
    singles=["Entity.java", "Job.java", "Exception.java"], config="config/application-local.properties", rules="CLAUDE.md",
    code=["@Service", "public class {s} implements {s}Port {{", "    private final {s}Repository {v};", "    @Transactional(readOnly = true)", "    public Optional<{s}> {v}(final String reference) {{", "        return repository.findByReference(reference);", "    }}", "    @PreAuthorize(\"hasRole('OPS_{n}')\")", "    void {v}(BigDecimal amount, Currency ccy) {{", "        if (amount.signum() <= 0) throw new InvalidAmountException(\"E{n}\");", "        log.info(\"{v} ref={{}}\", reference);", "    private static final int MAX_{n} = {n};", "        events.publish(new {s}Posted(id, clock.instant()));", "    // PAY-{n}: rounding must follow ISO 4217"],
    test=["mvn -q test -Dtest={S}ServiceTest", "mvn -q verify", "mvn test -pl payments-core"],
    passed="[INFO] Tests run: {m}, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n[INFO] Total time: {n} s", failed="[ERROR] {S}ServiceTest.rejectsNegative:{n} expected: <REJECTED> but was: <PENDING>\n[ERROR] Tests run: {m}, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n[ERROR] There are test failures.",
    build=["mvn -q compile", "mvn -q checkstyle:check", "mvn package -DskipTests"],
    programs=table("""
bugfix: tail -n 80 logs/payments.log | mvn -q compile
feature: mvn spring-boot:start | curl -s localhost:8081/actuator/mappings
refactor: mvn -q spotless:apply | jdeps -s target/payments-core.jar
tests: mvn jacoco:report | mvn -q test-compile
docs: mvn javadoc:javadoc | asciidoctor docs/index.adoc
deploy: helm lint charts/payments | docker build -t payments-core .
config: helm template charts/payments | mvn help:active-profiles
deps: mvn versions:display-dependency-updates | mvn dependency:tree
investigate: jstack 4711 | zgrep -c TIMEOUT logs/archive.gz
review: git diff develop --stat | mvn -q spotbugs:check
perf: jcmd 4711 GC.heap_info | k6 run load/transfer.js
data: liquibase status | liquibase update-sql"""),
    settings=settings("""
DB_HOST ; the database host ; host ; psql -h {v} -U pay -c 'select count(*) from posting' / pg_dump -h {v} -s paydb ; could not translate host name "{v}" to address
DB_PORT ; the database port ; port ; psql -h localhost -p {v} -c '\\dt' / pg_isready -h localhost -p {v} ; localhost:{v} - no response
MQ_HOST ; the MQ host ; host ; ./bin/mqping --host {v} / curl -s http://{v}/queues/payments.in ; AMQ9202: remote host {v} not available
KAFKA_PORT ; the Kafka port ; port ; kcat -b localhost:{v} -L / kafka-topics.sh --bootstrap-server localhost:{v} --list ; %3|FAIL|localhost:{v}: Connect failed: Connection refused
RELEASE_BRANCH ; the release branch ; branch ; git fetch origin {v} / git merge-base HEAD origin/{v} ; fatal: couldn't find remote ref {v}
IMAGE_TAG ; the image tag ; version ; docker pull registry.norbank.net/payments:{v} / helm upgrade payments charts/payments --set tag={v} ; manifest for payments:{v} not found: manifest unknown
NAMESPACE ; the Kubernetes namespace ; id:ns ; kubectl -n {v} get pods / kubectl -n {v} rollout status deploy/payments ; Error from server (NotFound): namespaces "{v}" not found
BIC_CLIENT ; the clearing client id ; id:cl ; ./bin/clearing-cli --client {v} status / ./bin/clearing-cli --client {v} replay ; ERR 403 client {v} is disabled
SCHEMA_VERSION ; the schema version ; version ; liquibase update-to-tag {v} / liquibase rollback {v} ; Could not find tag '{v}' in the database
VAULT_PATH ; the Vault path ; id:kv ; vault kv get secret/{v} / vault kv list secret/{v} ; No value found at secret/{v}
JENKINS_JOB ; the Jenkins job ; id:job ; jenkins-cli build {v} -s / jenkins-cli console {v} ; ERROR: No such job '{v}'
JDK_VERSION ; the JDK version ; version ; sdk use java {v}-tem / ./mvnw -v -Djdk={v} ; Stop! java {v}-tem is not installed"""),
    asks=table("""
bugfix: Please fix the defect in {f}: a {mod} with zero amount is accepted. | Production incident: {sym} throws on weekends. Please correct it. | The {mod} totals are off by one cent, I suspect {f}. | We get duplicate {mod} records under load. Please find the cause and fix it. | {f} does not release the lock after a timeout; please repair this.
feature: Please add an idempotency key to {f}. | We need an endpoint that lists the {mod}s of one customer. | Implement the four-eyes approval for {mod}, beginning with {f}. | Add a daily cut-off to {mod} processing. | Please extend {f} so that partial amounts are supported.
refactor: Please extract the rounding rules from {f} into their own class. | {f} and {f2} share code; please unify it. | Replace field injection in {f} by constructor injection. | Simplify {sym}, it has too many branches. | Please move the {mod} exceptions to the domain package.
tests: Please write unit tests for {f}. | Add a test that covers {sym} with a missing mandate. | Coverage of {f2} is below the threshold; please raise it. | An integration test for the {mod} flow is needed. | Please add parameterised tests for {f}.
docs: Please document {f} for the audit. | Update the runbook chapter on {mod}. | Write the release notes for the {mod} change. | The Javadoc of {sym} is missing. | Please describe the {mod} state machine in the docs.
deploy: Please roll the {mod} change out to the test environment. | Prepare the deployment for tonight's window. | Deploy the hotfix of {f} to UAT. | Please promote the build with the {mod} fix. | Build the image and update the chart.
config: Please add a property for the {mod} timeout. | The profile for UAT needs new values for {mod}. | Move the hard-coded limit in {f} to the configuration. | Enable the {mod} feature toggle for pilot branches. | Adjust the connection pool settings used by {f}.
deps: Please upgrade Spring Boot to the current patch level and check {f}. | There is a CVE in the {mod} client library; upgrade it. | Remove the unused dependencies of the {mod} module. | Align the Jackson versions, {f} is affected. | Please replace the legacy {mod} driver.
investigate: Please find out why {mod} messages pile up at noon. | Where is {sym} called in the batch run? | Explain how {f} and {f2} work together. | Why did the {mod} job run twice yesterday? | Please analyse the timeout in {f}.
review: Please review the merge request that touches {f}. | Check whether {sym} complies with our guidelines. | Have a look at {f2} regarding transactions. | Please assess the {mod} change before sign-off. | Is the locking in {f} sound?
perf: The {mod} batch takes four hours; please make it faster. | Please reduce the number of queries in {f}. | {sym} is a hotspot according to the profiler. | Improve the throughput of {mod}. | Tune the {mod} batch size and measure it.
data: Please prepare a migration script for the {mod} table. | Count the {mod} rows without a customer. | Write a query that reconciles {mod} against the ledger. | Load the anonymised {mod} sample. | Please backfill the new column used by {f}."""))

ACADEMIC = dict(
    name="academic", user="hsuzuki", cwd="/home/hsuzuki/projects/glacier-flow", hours=(10, 21), zone=9, lower=False,
    branch="main", dirs=["src/glacier", "scripts", "analysis"],
    stems="velocity thickness melt albedo ensemble inversion bedrock calving runoff climate mesh friction survey radar firn snowfall sensitivity validation figures uncertainty moraine basin".split(),
    pairs=[("_model.py", "_models.py"), ("_utils.py", "_util.py"), ("_fit.py", "_fit_v2.py"), ("_plot.py", "_plots.py"), (".py", "_old.py")],
    singles=["_io.py", "_cli.py", "_notes.md"], config="config/run.env", rules="CLAUDE.md",
    code=["import numpy as np", "def {v}(x, dt={n}):", "    \"\"\"Return the {v} of each cell (see eq. {n}).\"\"\"", "    mask = np.isfinite(x)", "    grad = np.gradient(x[mask], dt)", "    return np.where(mask, x, np.nan)", "class {s}:", "    def __init__(self, grid, n_iter={n}):", "        self.{v} = grid.copy()", "    ds = xr.open_dataset(path, chunks={{'time': {n}}})", "    ds['{v}'].mean('time').plot()", "    for i in range({n}):", "        state = step(state, {v}[i])", "# TODO check the sign convention against {s}, table {n}"],
    test=["pytest -q tests/test_{S}.py", "pytest -q", "python -m pytest tests -k {S}"],
    passed="..................                                     [100%]\n{m} passed in {n}.41s", failed="=================== FAILURES ===================\n_______________ test_{S}_mean _______________\nE       assert 0.3{n} == 0.41 ± 0.001\nFAILED tests/test_{S}.py::test_{S}_mean\n1 failed, {m} passed in {n}.02s",
    build=["ruff check src", "python -m compileall -q src", "make -C paper"],
    programs=table("""
bugfix: python -X faulthandler scripts/run_small.py | python -c "import glacier; print(glacier.__file__)"
feature: jupyter nbconvert --execute analysis/explore.ipynb | python scripts/run_small.py
refactor: ruff check --fix src | python -m black src
tests: pytest --collect-only -q | coverage report
docs: latexmk -pdf paper/main.tex | pandoc notes.md -o notes.pdf
deploy: rsync -a results/ hpc:results/ | sbatch jobs/ensemble.sh
config: conda env export | python scripts/show_config.py
deps: conda list | pip check
investigate: ncdump -h data/velocity.nc | python scripts/diagnose.py
review: git log --stat -3 | nbdime diff analysis/explore.ipynb
perf: python -m cProfile -s cumtime scripts/run_small.py | py-spy record -o prof.svg -- python scripts/run_small.py
data: cdo info data/melt.nc | python scripts/regrid.py --in data/melt.nc"""),
    settings=settings("""
HPC_HOST ; the cluster login node ; host ; ssh {v} squeue -u hsuzuki / rsync -a jobs/ {v}:glacier/ ; ssh: Could not resolve hostname {v}: Name or service not known
JUPYTER_PORT ; the notebook port ; port ; curl -s localhost:{v}/api/kernels / jupyter server stop {v} ; curl: (7) Failed to connect to localhost port {v}: Connection refused
ACCOUNT ; the compute account ; id:proj ; sbatch -A {v} jobs/run.sh / sacctmgr show assoc account={v} ; sbatch: error: Invalid account {v}
RUN_ID ; the reference run ; id:run ; python scripts/compare.py --run {v} / ls results/{v} ; FileNotFoundError: results/{v}
DATASET_VERSION ; the dataset version ; version ; python scripts/fetch.py --version {v} / dvc pull -r v{v} ; HTTPError: 410 dataset version {v} withdrawn
BRANCH ; the paper branch ; branch ; git fetch origin {v} / git diff origin/{v} --stat ; fatal: couldn't find remote ref {v}
GRID ; the grid name ; id:grid ; python scripts/regrid.py --grid {v} / python -m glacier.mesh_cli --grid {v} ; KeyError: unknown grid '{v}'
ENV_NAME ; the conda environment ; id:env ; conda run -n {v} python -V / conda env update -n {v} -f env.yml ; EnvironmentLocationNotFound: {v}
DASK_PORT ; the dask port ; port ; python scripts/run_dask.py --scheduler tcp://localhost:{v} / curl -s localhost:{v}/status ; OSError: Timed out trying to connect to tcp://localhost:{v}
BUCKET ; the results bucket ; id:bkt ; aws s3 ls s3://{v}/ / aws s3 cp out.nc s3://{v}/ ; NoSuchBucket: The specified bucket {v} does not exist
ZENODO_ID ; the Zenodo record ; id:rec ; curl -s https://zenodo.org/api/records/{v} / python scripts/upload.py --record {v} ; 404 record {v} superseded
SOLVER_TAG ; the solver tag ; version ; git -C ext/solver checkout v{v} / pip install 'solver=={v}' ; error: pathspec 'v{v}' did not match any file(s)"""),
    asks=table("""
bugfix: I believe there is a mistake in {f}: the {mod} changes sign at the margin. Could you look and repair it? | The {mod} notebook stops with NaNs after ten steps, could you find out why and fix it? | {sym} seems to ignore the mask. Could you fix that? | When I run {f} with the new data I get a shape mismatch. | There must be a unit error in {mod}; the numbers are a thousand times too large.
feature: Could you add a bootstrap for the {mod} estimates? I would start in {f}. | I would like {f} to accept several glaciers at once. | Let us add a plot of {mod} against elevation. | Could you implement the second-order scheme in {f}? | I need a command that computes {mod} for every basin and writes a table.
refactor: The code in {f} has grown over three years, could you tidy it? | Could you merge what {f} and {f2} have in common? | I would like {sym} to be a pure function. | Please make the {mod} code independent of the grid. | Could you bring {f} out of the notebook style into functions?
tests: Could you write tests for {f}, with an analytic solution if there is one? | I would feel better with a regression test of {mod}. | Could you test {sym} with missing values? | A reviewer asks for validation of {f2}; a test would help. | Could you add a small synthetic case for {mod}?
docs: Could you write the methods paragraph about {mod}? | The docstrings in {f} are out of date, could you revise them? | I need a figure caption for the {mod} plot. | Could you explain in the notes how {sym} is derived? | Please update the readme so that others can reproduce the {mod} figure.
deploy: Could you submit the {mod} ensemble to the cluster? | Let us run the {mod} case with the full data. | Could you copy the {mod} results back and archive them? | I would like to publish the {mod} data set now. | Could you start the overnight run with {f}?
config: Could you put the constants of {f} into the configuration? | I need a configuration for the {mod} sensitivity runs. | Could you make the path to the {mod} data configurable? | The settings for {mod} are scattered, could you collect them? | Could you prepare the job script for {mod}?
deps: Could you update the environment so that {f} works with numpy 2? | The {mod} part needs a newer xarray, could you see to it? | I would like to get rid of the old plotting package in {f}. | Could you check why the environment cannot be solved? It started with {mod}. | Could you pin the versions used for the {mod} figures?
investigate: I wonder why {mod} differs between the two runs. Could you look into it? | Could you explain what {f} does differently from {f2}? | Where does {sym} get its boundary condition from? | Could you find out which step makes {mod} noisy? | Is it plausible that {mod} rises in winter? Please look at the data.
review: Could you read {f} critically before I send it to my coauthor? | My student wrote {f2}; could you comment on it? | Is the statistics in {sym} sound? | Could you compare the {mod} code with the equations? | Could you go over the {mod} changes of last week?
perf: {f} takes two days for one glacier. Could you make it faster? | Could you vectorise {sym}? | The {mod} step uses too much memory. | Could you find out where the time goes in {mod}? | Perhaps {f} can be parallelised, could you try?
data: Could you regrid the {mod} data to one kilometre? | I received new {mod} measurements, could you read them in with {f}? | Could you count the gaps in the {mod} series? | Please merge the {mod} tables of both campaigns. | Could you compute the yearly mean of {mod} and save it?"""))

RUST = dict(
    name="rust", user="jpk", cwd="/home/jpk/src/sift", hours=(7, 23), zone=-6, lower=True,
    branch="main", dirs=["src", "src/cli", "crates/sift-core/src"],
    stems="walk filter glob output color config ignore cache parse render stream theme pager index query sort watch hash history pattern encode alias".split(),
    pairs=[(".rs", "s.rs"), ("_args.rs", "_arg.rs"), ("_opts.rs", "_options.rs"), ("er.rs", "er_unix.rs"), ("_state.rs", "_stats.rs")],
    singles=["_error.rs", "_bench.rs", "_prelude.rs"], config=".env", rules="AGENTS.md",
    code=["use anyhow::{{Context, Result}};", "pub struct {s} {{", "    {v}: Vec<PathBuf>,", "impl {s} {{", "    pub fn {v}(&self, depth: usize) -> Result<Self> {{", "        let mut out = Vec::with_capacity({n});", "        for entry in self.iter().take({n}) {{", "            out.push(entry.context(\"{v}\")?);", "        }}", "        Ok(Self {{ {v}: out }})", "    }}", "#[derive(Debug, Clone, Default)]", "    #[inline] fn {v}_len(&self) -> usize {{ self.{v}.len() + {n} }}", "    // see #{n}"],
    test=["cargo test {S}", "cargo nextest run", "cargo test --workspace"],
    passed="running {m} tests\ntest result: ok. {m} passed; 0 failed; 0 ignored; finished in 0.{n}s", failed="running {m} tests\ntest {S}::tests::keeps_order ... FAILED\n\nthread '{S}::tests::keeps_order' panicked at src/{S}.rs:{n}:9:\nassertion `left == right` failed\n\ntest result: FAILED. {n} passed; 1 failed; 0 ignored",
    build=["cargo check", "cargo clippy --all-targets -- -D warnings", "cargo build --release"],
    programs=table("""
bugfix: cargo run -- --debug fixtures | RUST_BACKTRACE=1 cargo run -- fixtures
feature: cargo run -- --help | cargo expand cli
refactor: cargo fmt | cargo clippy --fix --allow-dirty
tests: cargo llvm-cov --summary-only | cargo insta review
docs: cargo doc --no-deps | mdbook build docs
deploy: cargo publish --dry-run | cargo dist build
config: cargo metadata --no-deps | taplo fmt --check
deps: cargo outdated | cargo tree -d
investigate: strace -c target/debug/sift fixtures | gh issue view 412
review: gh pr diff 433 | cargo semver-checks
perf: hyperfine 'target/release/sift fixtures' | cargo bench
data: cargo run -- --format json fixtures | jq length out.json"""),
    settings=settings("""
RELEASE_TAG ; the release tag ; version ; gh release view v{v} / git tag -v v{v} ; release not found: v{v}
MSRV ; the minimum rust version ; version ; cargo +{v} check / rustup run {v} cargo test ; error: toolchain '{v}-x86_64-unknown-linux-gnu' is not installed
MAIN_BRANCH ; the integration branch ; branch ; git rebase origin/{v} / git fetch origin {v} ; fatal: couldn't find remote ref {v}
DOCS_HOST ; the docs host ; host ; curl -sI https://{v}/ / rsync -a book/ {v}:www/ ; curl: (6) Could not resolve host: {v}
BENCH_HOST ; the bench box ; host ; ssh {v} ./bench.sh / scp target/release/sift {v}:bin/ ; ssh: Could not resolve hostname {v}
DEV_PORT ; the docs port ; port ; mdbook serve -p {v} / curl -s localhost:{v}/index.html ; curl: (7) Failed to connect to localhost port {v}: Connection refused
TAP ; the homebrew tap ; id:tap ; brew tap jpk/{v} / brew audit jpk/{v}/sift ; Error: Invalid tap name: jpk/{v} not found
MILESTONE ; the milestone ; id:ms ; gh issue list --milestone {v} / gh pr list --search milestone:{v} ; no milestone found with title "{v}"
CI_WORKFLOW ; the ci workflow ; id:wf ; gh workflow run {v}.yml / gh run list -w {v}.yml ; could not find any workflows named {v}.yml
TARGET_CPU ; the bench target ; id:cpu ; cargo build --release --target {v} / rustup target add {v} ; error: target '{v}' not supported
CRATE_VERSION ; the core crate version ; version ; cargo update -p sift-core --precise {v} / cargo info sift-core@{v} ; error: no matching package named `sift-core` version {v}
CORPUS ; the corpus dir ; id:corp ; ls /srv/{v} / target/release/sift /srv/{v} --count ; ls: cannot access '/srv/{v}': No such file or directory"""),
    asks=table("""
bugfix: issue #412: {sym} panics on empty input. fix | {f} mishandles symlink loops | regression since last tag, {mod} drops the final line | windows paths break {f} | wrong exit code when {mod} finds nothing
feature: add --{mod}-limit, plumb it through {f} | support NO_COLOR in {mod} | {mod}: json lines output | let {f} read from stdin when path is - | want shell completions for the {mod} subcommand
refactor: {f} should not own the Vec. borrow | kill the clone()s in {f} | fold {f2} into {f} | {sym} -> builder pattern | split the {mod} module, it's 900 lines
tests: proptest for {sym} | snapshot tests for {mod} output | {f} needs edge cases: empty, utf16, huge | add a regression test for {mod} | cover {f2}
docs: document {sym} with an example | man page section on {mod} | changelog for {mod} | mdbook chapter: {mod} | doc comments in {f} are lies, rewrite
deploy: cut a release | publish sift-core, then tag | dry-run the release with the {mod} change | push docs for {mod} | rc build, all targets
config: move {mod} defaults to the config file | CI: add a job for {mod} | feature-gate {mod} | rustfmt/clippy settings for {f} | env var override for {mod}, in {f}
deps: bump clap, {f} will need changes | drop the {mod} dep, std has it now | cargo audit complains about {mod} | msrv bump, see what {f} can simplify | dedupe the two regex versions
investigate: why is {mod} slower on macos | what calls {sym} | {f} vs {f2}, why both | #398 can't reproduce, dig into {mod} | where do the extra syscalls in {mod} come from
review: review PR 433, mostly {f} | is {sym} semver breaking | second opinion on {f2} | look over the {mod} unsafe block | anything smelly in {f}
perf: {mod} regressed 12%, find it | avoid the alloc in {sym} | {f}: use memchr | parallel {mod} with rayon, measure | flamegraph {mod}, then trim {f}
data: regenerate the {mod} fixtures | corpus stats for {mod} | convert old {mod} history to the new format | dedupe the test corpus for {mod} | dump {mod} results as csv"""))

AGENCY = dict(
    name="agency", user="carla", cwd="/Users/carla/Sites/velvet-shop", hours=(9, 18), zone=-3, lower=False,
    branch="staging", dirs=["app/Http/Controllers", "app/Services", "resources/js/components"],
    stems="Cart Checkout Product Coupon Newsletter Banner Search Order Wishlist Menu Gallery Contact Shipping Invoice Landing Review Stock Footer Slider Voucher Blog Tag".split(),
    pairs=[("Controller.php", "ControllerApi.php"), ("Service.php", "Services.php"), ("Item.vue", "Items.vue"), ("Helper.php", "Helpers.php"), ("Form.vue", "FormOld.vue")],
    singles=["Modal.vue", "Policy.php", "Mail.php"], config=".env", rules="CLAUDE.md",
    code=["<?php", "namespace App\\{s};", "class {s} extends Base{s}", "    public function {v}(Request $request)", "        $data = $request->validate(['{v}' => 'required|max:{n}']);", "        return view('{v}', compact('data'));", "    protected $fillable = ['{v}', 'slug'];", "export default {{ name: '{s}', props: ['{v}'] }}", "  const {v} = ref({n})", "  onMounted(() => load('/api/{v}?limit={n}'))", "  <div class=\"{v} mt-{n}\">", "    <slot name=\"{v}\" />", "        Cache::remember('{v}', {n}, fn () => $this->query());", "    // client wants this exactly like the mockup, page {n}"],
    test=["php artisan test --filter={S}", "vendor/bin/phpunit", "npm run test -- {S}"],
    passed="PASS  Tests\\Feature\\{S}Test\n\nTests:    {m} passed ({n} assertions)\nDuration: 1.{n}s", failed="FAIL  Tests\\Feature\\{S}Test\n  ⨯ shows the total\nFailed asserting that 1{n} matches expected 12.\n\nTests:    1 failed, {m} passed",
    build=["npm run build", "vendor/bin/pint --test", "npx eslint resources/js"],
    programs=table("""
bugfix: tail -n 60 storage/logs/laravel.log | php -l public/index.php
feature: php artisan route:list | php artisan make:migration add_column
refactor: vendor/bin/pint | npx prettier --write resources/js
tests: npx playwright test --list | php artisan test --coverage
docs: npx markdownlint README.md | php artisan about
deploy: npm run build | vendor/bin/envoy run deploy
config: php artisan config:clear | php artisan config:show cache
deps: composer outdated | npm outdated
investigate: php artisan queue:failed | npx lighthouse http://velvet.test --quiet
review: git diff staging --stat | vendor/bin/phpstan analyse
perf: npx vite-bundle-visualizer | php artisan optimize
data: php artisan db:seed | php artisan tinker --execute='Product::count()'"""),
    settings=settings("""
DB_HOST ; the staging database ; host ; mysql -h {v} -u shop shop -e 'show tables' / mysqldump -h {v} shop ; ERROR 2005 (HY000): Unknown MySQL server host '{v}'
DB_PORT ; the mysql port ; port ; mysql -h 127.0.0.1 -P {v} -e 'select 1' / mysqladmin -P {v} ping ; ERROR 2003 (HY000): Can't connect to MySQL server on '127.0.0.1:{v}'
VITE_PORT ; the vite port ; port ; npx vite --port {v} --strictPort / curl -s localhost:{v}/@vite/client ; curl: (7) Failed to connect to localhost port {v}: Connection refused
SSH_HOST ; the client's server ; host ; ssh {v} 'ls releases' / rsync -az public/build/ {v}:public/ ; ssh: Could not resolve hostname {v}
BRANCH ; the launch branch ; branch ; git pull origin {v} / git fetch origin {v} ; fatal: couldn't find remote ref {v}
THEME_ID ; the theme id ; id:th ; shopify theme push --theme {v} / shopify theme pull --theme {v} ; Theme {v} doesn't exist
CDN_ZONE ; the cdn zone ; id:zn ; ./bin/purge --zone {v} / curl -s https://api.cdn.io/zones/{v} ; 404 zone {v} not found
PHP_VERSION ; the php version ; version ; valet use php@{v} / docker run --rm php:{v}-cli php -v ; Unable to find image 'php:{v}-cli'
GTM_ID ; the tag manager id ; id:gtm ; node scripts/tags.js --container {v} / curl -s https://gtm.io/{v}.js ; container {v} is archived
REDIS_PORT ; the redis port ; port ; redis-cli -p {v} ping / redis-cli -p {v} flushdb ; Could not connect to Redis at 127.0.0.1:{v}: Connection refused
RELEASE ; the release version ; version ; vendor/bin/envoy run deploy --release={v} / gh release view v{v} ; release not found: v{v}
BUCKET ; the image bucket ; id:img ; aws s3 sync storage/app s3://{v} / aws s3 ls s3://{v}/products ; NoSuchBucket: {v} does not exist"""),
    asks=table("""
bugfix: Client says the {mod} page is blank on iPhone! Can you check {f}? | The {mod} price is wrong when there's a discount | {f} throws a 500 when the form is empty, fix it please | Images in {mod} are stretched on Safari | Hey, {sym} sends the email twice, can you fix?
feature: Client wants a sticky {mod} on mobile :) | Add a filter to {mod}, begin with {f} | Can we have a nice animation when {mod} opens? | New field in {f}: company name | Let's add multi-currency to {mod}
refactor: {f} and {f2} do almost the same, can you merge them? | Make {f} composition API please | Get the queries out of {f}, into a service | Can you clean up {sym}? It hurts my eyes | Split the giant template in {f}
tests: Can you add a feature test for {f}? | QA wants tests on {mod} | Write a browser test for {mod} checkout path | Please test {sym} with an expired coupon | A couple of tests for {f2} would be great
docs: Write a little handover doc on {mod} for the client | README: how do I run {mod} locally? | Comment {f} so that the intern gets it | Update the docs of the {mod} api | Can you list all the {mod} shortcodes in the wiki?
deploy: Let's push {mod} to staging! | Go live with the {mod} change please | Client is waiting, deploy the fix in {f} | Can you put the new {mod} build on the server? | Launch day :) release it
config: Add the new payment keys for {mod} | Switch the mail driver, {f} uses it | Can you set up redirects for the old {mod} urls? | Put {mod} behind a feature flag | The cache settings of {mod} need love
deps: Update laravel, {f} needs a look | npm audit is screaming about {mod}, sort it out | Replace the old {mod} slider package | Upgrade vue and check {f} | Remove jquery from {mod} finally
investigate: Why is {mod} so slow for the client? | Where does {sym} get called from? | What's {f2} for if we have {f}? | Someone gets logged out on {mod}, any idea why? | Find out why the {mod} mails go to spam
review: Can you look at the freelancer's {f}? | Check {mod} for accessibility | Is {sym} safe against injection? | Review my branch, mostly {f2} | Does {mod} match the mockup you think?
perf: Lighthouse is red on {mod}, help! | Lazy load the images in {f} | Too many queries in {f}, bring it down | {mod} bundle is 2 MB, shrink it | Cache {sym}
data: Import the client's {mod} spreadsheet | Seed some {mod} demo data | Migrate the old {mod} table, see {f} | Clean the duplicate {mod} rows | Export all {mod} entries as csv for marketing"""))

PEOPLE = [MOBILE, BANK, ACADEMIC, RUST, AGENCY]
for _person in PEOPLE:
    assert sorted(_person["asks"]) == sorted(KINDS_OF_WORK) == sorted(_person["programs"]) and all(len(a) == 5 for a in _person["asks"].values())
