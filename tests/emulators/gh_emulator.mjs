// Serves emulate's GitHub on loopback and mends what it does otherwise than GitHub, as far as the bump flow needs it.
//
//   node gh_emulator.mjs PORT [--as-shipped] < seed.json
//
// It prints `ready` when it answers. `POST /_ctl/reset` brings the seed back. With `--as-shipped` nothing is mended:
// test_shim.py runs both ways, so that a new version of emulate shows which of these routes is no longer needed.
import { randomUUID, webcrypto } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const REACTIONS = new Set(["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]);
const LONGEST_JWT = 600;

const port = Number(process.argv[2]);
const asShipped = process.argv.includes("--as-shipped");
const seed = JSON.parse(readFileSync(0, "utf8"));
const baseUrl = `http://127.0.0.1:${port}`;

// Debian 12 has Node 18, where this is no global yet; emulate verifies JSON web tokens with it.
globalThis.crypto ??= webcrypto;

// emulate listens on every interface, and does not say when.
const listening = new Promise((resolve) => {
  const listen = net.Server.prototype.listen;
  net.Server.prototype.listen = function (at) {
    return listen.call(this, at, "127.0.0.1", resolve);
  };
});

const dist = fileURLToPath(new URL("node_modules/emulate/dist", import.meta.url));
const chunk = readdirSync(dist).find(
  (name) => /^dist-.*\.js$/.test(name) && /\n\s+githubPlugin,/.test(readFileSync(join(dist, name), "utf8")),
);
const { getGitHubStore, githubPlugin } = await import(pathToFileURL(join(dist, chunk)));
const { createEmulator } = await import(pathToFileURL(join(dist, "api.js")));

let emulator;
const register = githubPlugin.register;
githubPlugin.register = function (app, store, webhooks, url, tokens) {
  app.post("/_ctl/reset", (c) => {
    emulator.reset();
    return c.json({});
  });
  if (!asShipped) mend(app, store, tokens);
  register.call(this, app, store, webhooks, url, tokens);
  if (!asShipped) app.fetch = rewritten(app.fetch);
};
emulator = await createEmulator({ service: "github", port, baseUrl, seed });
await listening;
console.log("ready");

function refusal(c, status, message, errors) {
  return c.json({ message, ...(errors ? { errors } : {}), documentation_url: "https://docs.github.com/rest" }, status);
}

/** Routes that answer before emulate's own, and guards in front of them. */
function mend(app, store, tokens) {
  const gh = getGitHubStore(store);
  // What the shim asks for itself is no request of the client: a token of its own keeps it off the client's rate limit.
  const inner = async (c, path) => {
    const alias = randomUUID();
    const identity = tokens.get(c.get("authToken"));
    if (identity) tokens.set(alias, identity);
    const headers = { Authorization: identity ? `token ${alias}` : c.req.header("Authorization") };
    const response = await app.fetch(new Request(baseUrl + path, { headers }));
    tokens.delete(alias);
    return response.ok ? response.json() : null;
  };
  const repository = (c) => `/repos/${c.req.param("owner")}/${c.req.param("repo")}`;
  const me = (c) => {
    const { login, installation } = c.get("authUser");
    const own = installation && gh.apps.all().find((known) => known.app_id === installation.appId);
    return inner(c, `/users/${encodeURIComponent(own ? `${own.slug}[bot]` : login)}`);
  };

  guardCredentials(app, tokens);
  guardAccounts(app, gh);
  guardPulls(app, gh);
  followBranches(app, gh);
  guardCheckRuns(app);
  serveIssue(app, gh, inner, repository);
  serveFiles(app, inner, repository);
  serveStatuses(app, store, inner, repository, me);
  serveReactions(app, store, gh, me);
  servePermission(app, gh, inner);
  serveGraphql(app, gh, inner);
}

/** An unknown token is nobody's; a JSON web token lives ten minutes at most. */
function guardCredentials(app, tokens) {
  app.use("*", async (c, next) => {
    if (c.req.path.startsWith("/_ctl/")) return next();
    const token = (c.req.header("Authorization") ?? "").replace(/^(Bearer|token)\s+/i, "");
    if (token.split(".").length === 3) {
      const claims = c.get("authApp") && JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
      if (!claims) return refusal(c, 401, "A JSON web token could not be decoded");
      if (claims.exp > Date.now() / 1000 + LONGEST_JWT) {
        return refusal(c, 401, "'Expiration time' claim ('exp') is too far in the future");
      }
    } else if (!tokens.has(token)) {
      return refusal(c, 401, token ? "Bad credentials" : "Requires authentication");
    }
    await next();
  });
}

/** An App has an account from the start, and is no user. */
function guardAccounts(app, gh) {
  app.use("/users/:username", async (c, next) => {
    const login = c.req.param("username");
    const owner = gh.apps.all().find((known) => `${known.slug}[bot]` === login);
    if (owner && !gh.users.findOneBy("login", login)) {
      const email = `${owner.app_id}+${login}@users.noreply.github.com`;
      gh.users.insert({ login, node_id: "", avatar_url: "", gravatar_id: "", type: "Bot", name: owner.name, email });
    }
    await next();
  });
  app.use("/user", async (c, next) => {
    if (c.get("authUser")?.installation) return refusal(c, 403, "Resource not accessible by integration");
    await next();
  });
}

/** One open pull request for a head and a base, and none where there is nothing to merge. */
function guardPulls(app, gh) {
  app.use("/repos/:owner/:repo/pulls", async (c, next) => {
    if (c.req.method !== "POST") return next();
    const { head, base } = await c.req.raw.clone().json();
    const repo = gh.repos.findOneBy("full_name", `${c.req.param("owner")}/${c.req.param("repo")}`);
    const branch = String(head).split(":").pop();
    const invalid = (field) =>
      refusal(c, 422, "Validation Failed", [{ resource: "PullRequest", field, code: "invalid" }]);
    const custom = (message) =>
      refusal(c, 422, "Validation Failed", [{ resource: "PullRequest", code: "custom", message }]);
    const known = (name) => gh.branches.findBy("repo_id", repo?.id).find((found) => found.name === name);
    if (!String(head).includes(":") && !known(branch)) return invalid("head");
    if (!known(base)) return invalid("base");
    if (known(branch)?.sha === known(base).sha) return custom(`No commits between ${base} and ${branch}`);
    const twin = gh.pullRequests
      .findBy("repo_id", repo.id)
      .some((pull) => pull.state === "open" && pull.head_ref === branch && pull.base_ref === base);
    if (twin) return custom(`A pull request already exists for ${c.req.param("owner")}:${branch}.`);
    await next();
  });
}

/** The head of an open pull request follows its branch. */
function followBranches(app, gh) {
  app.use("/repos/:owner/:repo/git/refs/:ref{.+}", async (c, next) => {
    await next();
    const repo = gh.repos.findOneBy("full_name", `${c.req.param("owner")}/${c.req.param("repo")}`);
    for (const pull of gh.pullRequests.all().filter((known) => known.head_repo_id === repo?.id)) {
      const branch = gh.branches.findBy("repo_id", repo.id).find((known) => known.name === pull.head_ref);
      if (pull.state === "open" && branch) gh.pullRequests.update(pull.id, { head_sha: branch.sha });
    }
  });
}

/** Check runs are for Apps. */
function guardCheckRuns(app) {
  const guard = async (c, next) => {
    const isWrite = c.req.method === "POST" || c.req.method === "PATCH";
    if (isWrite && !c.get("authUser")?.installation) return refusal(c, 403, "You must authenticate via a GitHub App.");
    await next();
  };
  app.use("/repos/:owner/:repo/check-runs", guard);
  app.use("/repos/:owner/:repo/check-runs/:id", guard);
}

/** A pull request is an issue as well. */
function serveIssue(app, gh, inner, repository) {
  app.use("/repos/:owner/:repo/issues/:number", async (c, next) => {
    const { owner, repo: name, number } = c.req.param();
    const repo = gh.repos.findOneBy("full_name", `${owner}/${name}`);
    const row = gh.issues.findBy("number", number).find((known) => known.repo_id === repo?.id);
    if (c.req.method !== "GET" || !row?.is_pull_request) return next();
    const { head: _head, base: _base, url, ...pull } = await inner(c, `${repository(c)}/pulls/${number}`);
    const { html_url, diff_url, patch_url } = pull;
    const links = { url, html_url, diff_url, patch_url };
    return c.json({ ...pull, id: row.id, url: url.replace("/pulls/", "/issues/"), pull_request: links });
  });
}

/** The files of a pull request are those of the comparison. */
function serveFiles(app, inner, repository) {
  app.get("/repos/:owner/:repo/pulls/:number/files", async (c) => {
    const pull = await inner(c, `${repository(c)}/pulls/${c.req.param("number")}`);
    if (!pull) return refusal(c, 404, "Not Found");
    const { files } = await inner(c, `${repository(c)}/compare/${pull.base.sha}...${pull.head.sha}`);
    const size = Number(c.req.query("per_page") ?? 30);
    const page = Number(c.req.query("page") ?? 1);
    return c.json(files.slice((page - 1) * size, page * size));
  });
}

function serveStatuses(app, store, inner, repository, me) {
  const statuses = store.collection("shim.statuses", ["sha"]);
  const newestFirst = (c, sha) =>
    statuses.findBy("sha", sha).filter((status) => status.repository === repository(c)).reverse();
  const shown = ({ repository: _repository, sha: _sha, ...status }) => status;
  app.post("/repos/:owner/:repo/statuses/:sha", async (c) => {
    const sha = c.req.param("sha");
    if (!(await inner(c, `${repository(c)}/git/commits/${sha}`))) {
      return refusal(c, 422, `No commit found for SHA: ${sha}`);
    }
    const { state, context = "default", description = null, target_url = null } = await c.req.json();
    const url = `${baseUrl}${repository(c)}/statuses/${sha}`;
    const creator = await me(c);
    const row = { repository: repository(c), sha, url, state, context, description, target_url, creator };
    return c.json(shown(statuses.insert({ ...row, node_id: "SC", avatar_url: null })), 201);
  });
  app.get("/repos/:owner/:repo/commits/:sha/statuses", (c) => c.json(newestFirst(c, c.req.param("sha")).map(shown)));
  app.get("/repos/:owner/:repo/commits/:sha/status", async (c) => {
    const sha = c.req.param("sha");
    const all = newestFirst(c, sha);
    const newest = all.filter((status, at) => all.findIndex((other) => other.context === status.context) === at);
    const states = new Set(newest.map((status) => status.state));
    const isBad = states.has("failure") || states.has("error");
    const isGood = states.size === 1 && states.has("success");
    return c.json({
      state: isBad ? "failure" : isGood ? "success" : "pending",
      statuses: newest.map(shown),
      sha,
      total_count: newest.length,
      repository: await inner(c, repository(c)),
      commit_url: `${baseUrl}${repository(c)}/commits/${sha}`,
      url: `${baseUrl}${repository(c)}/commits/${sha}/status`,
    });
  });
}

function serveReactions(app, store, gh, me) {
  const reactions = store.collection("shim.reactions", ["comment"]);
  const path = "/repos/:owner/:repo/issues/comments/:comment/reactions";
  const shown = ({ comment: _comment, updated_at: _updated, ...reaction }) => reaction;
  app.get(path, (c) => c.json(reactions.findBy("comment", c.req.param("comment")).map(shown)));
  app.post(path, async (c) => {
    const comment = c.req.param("comment");
    const { content } = await c.req.json();
    if (!gh.comments.get(Number(comment))) return refusal(c, 404, "Not Found");
    if (!REACTIONS.has(content)) return refusal(c, 422, "Validation Failed");
    const user = await me(c);
    const mine = (known) => known.content === content && known.user.id === user.id;
    const twin = reactions.findBy("comment", comment).find(mine);
    if (twin) return c.json(shown(twin));
    return c.json(shown(reactions.insert({ comment, content, user, node_id: "REA" })), 201);
  });
}

/** Everybody reads a public repository; only the owner of a user's repository is admin by himself. */
function servePermission(app, gh, inner) {
  const roles = { pull: "read", triage: "triage", push: "write", maintain: "maintain", admin: "admin" };
  const legacy = { triage: "read", maintain: "write" };
  app.get("/repos/:owner/:repo/collaborators/:username/permission", async (c) => {
    const { owner, repo: name, username } = c.req.param();
    const repo = gh.repos.findOneBy("full_name", `${owner}/${name}`);
    const user = gh.users.findOneBy("login", username);
    if (!repo) return refusal(c, 404, "Not Found");
    if (!user) return refusal(c, 404, `${username} is not a user`);
    const row = gh.collaborators.findBy("repo_id", repo.id).find((known) => known.user_id === user.id);
    const isOwner = repo.owner_type === "User" && repo.owner_id === user.id;
    const role = isOwner ? "admin" : row ? (roles[row.permission] ?? row.permission) : repo.private ? "none" : "read";
    const shown = await inner(c, `/users/${encodeURIComponent(username)}`);
    return c.json({ permission: legacy[role] ?? role, role_name: role, user: { ...shown, role_name: role } });
  });
}

/** Files by `<commit>:<path>`, many at once; the values stand in the query or in its variables. */
function serveGraphql(app, gh, inner) {
  const argument = String.raw`(\$\w+|"(?:[^"\\]|\\.)*")`;
  const repositories = new RegExp(
    String.raw`(?:(\w+)\s*:\s*)?repository\(\s*owner\s*:\s*${argument}\s*,?\s*name\s*:\s*${argument}\s*\)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}`,
    "g",
  );
  const objects = new RegExp(String.raw`(\w+)\s*:\s*object\(\s*expression\s*:\s*${argument}\s*\)`, "g");
  app.post("/graphql", async (c) => {
    const { query, variables = {} } = await c.req.json();
    if (/\bmarkPullRequestReadyForReview\(/.test(query)) return c.json(ready(gh, Object.values(variables)));
    const value = (text) => (text.startsWith("$") ? variables[text.slice(1)] : JSON.parse(text));
    const data = {};
    const errors = [];
    for (const [, alias = "repository", owner, name, fields] of query.matchAll(repositories)) {
      const path = `/repos/${value(owner)}/${value(name)}`;
      data[alias] = null;
      if (!(await inner(c, path))) {
        const message = `Could not resolve to a Repository with the name '${path.slice("/repos/".length)}'.`;
        errors.push({ type: "NOT_FOUND", path: [alias], message });
        continue;
      }
      data[alias] = {};
      for (const [, field, text] of fields.matchAll(objects)) data[alias][field] = await object(c, inner, path, value(text));
      if (/\bpullRequests\(/.test(fields)) {
        const files = [...query.matchAll(/(\w+)\s*:\s*file\(\s*path\s*:\s*(\$\w+)/g)];
        const asked = files.map(([, field, text]) => [field, value(text)]);
        data[alias].pullRequests = await openPulls(c, inner, path, variables.base, asked);
      }
      for (const [, field, text] of fields.matchAll(/(\w+)\s*:\s*pullRequest\(\s*number\s*:\s*(\$\w+)/g)) {
        const found = (await inner(c, `${path}/pulls/${value(text)}/files?per_page=100`)) ?? [];
        const nodes = found.map(({ filename }) => ({ path: filename }));
        data[alias][field] = { files: { nodes, pageInfo: { hasNextPage: false } } };
      }
    }
    return c.json(errors.length ? { data, errors } : { data });
  });
}

/** The draft whose GraphQL id is among the values becomes ready for review. */
function ready(gh, values) {
  const pull = gh.pullRequests.all().find((known) => values.includes(known.node_id));
  if (!pull) {
    const message = `Could not resolve to a node with the global id of '${values[0]}'`;
    return { data: { markPullRequestReadyForReview: null }, errors: [{ type: "NOT_FOUND", message }] };
  }
  gh.pullRequests.update(pull.id, { draft: false });
  return { data: { markPullRequestReadyForReview: { pullRequest: { isDraft: false } } } };
}

/** A commit by its revision, or a file by `<revision>:<path>`. */
async function object(c, inner, path, expression) {
  const colon = expression.indexOf(":");
  if (colon < 0) {
    const commit = await inner(c, `${path}/commits/${expression}`);
    if (commit?.sha) return { oid: commit.sha };
    const blob = await inner(c, `${path}/git/blobs/${expression}`);
    return blob && textOf(blob.sha, Buffer.from(blob.content, "base64"));
  }
  const [revision, name] = [expression.slice(0, colon), expression.slice(colon + 1)];
  const found = await inner(c, `${path}/contents/${name.split("/").map(encodeURIComponent).join("/")}?ref=${revision}`);
  if (found?.type !== "file") return folder(c, inner, path, revision, name);
  return textOf(found.sha, Buffer.from(found.content, "base64"));
}

function textOf(oid, content) {
  const isBinary = content.subarray(0, 8000).includes(0);
  const text = isBinary ? null : content.subarray(0, 512000).toString("utf8");
  return { oid, byteSize: content.length, isBinary, isTruncated: content.length > 512000, text };
}

/** One page of open pull requests, the newest first, with the ids of files at their heads. */
async function openPulls(c, inner, path, base, files) {
  const found = (await inner(c, `${path}/pulls?state=open&base=${encodeURIComponent(base)}&per_page=100`)) ?? [];
  const nodes = await Promise.all(
    found.map(async (pull) => {
      const commit = { oid: pull.head.sha };
      for (const [field, name] of files) {
        const blob = await object(c, inner, path, `${pull.head.sha}:${name}`);
        commit[field] = blob && { oid: blob.oid, type: blob.entries ? "tree" : "blob" };
      }
      return {
        number: pull.number, url: pull.html_url, title: pull.title, author: { login: pull.user.login },
        headRefName: pull.head.ref, headRefOid: pull.head.sha,
        headRepository: { nameWithOwner: pull.head.repo.full_name }, commits: { nodes: [{ commit }] },
      };
    }),
  );
  return { nodes, pageInfo: { hasNextPage: false, endCursor: null } };
}

/** What stands in a folder of a commit or tree; GitHub gives modes as plain numbers. */
async function folder(c, inner, path, revision, name) {
  const commit = await inner(c, `${path}/commits/${revision}`);
  let tree = await inner(c, `${path}/git/trees/${commit?.commit.tree.sha ?? revision}`);
  for (const part of name.split("/").filter(Boolean)) {
    const next = tree?.tree?.find((entry) => entry.path === part && entry.type === "tree");
    tree = next && (await inner(c, `${path}/git/trees/${next.sha}`));
  }
  if (!tree?.tree) return null;
  const entries = tree.tree.map(({ path: name, mode, sha, type }) => ({ name, mode: parseInt(mode, 8), oid: sha, type }));
  return { oid: tree.sha, entries };
}

/** What can only be mended on the way in and out. */
function rewritten(fetch) {
  return async (request) => {
    const { pathname } = new URL(request.url);
    const isTokens = request.method === "POST" && /^\/app\/installations\/\d+\/access_tokens$/.test(pathname);
    const response = await fetch(isTokens ? await withAllPermissions(request) : request);
    return /\/git\/(ref|refs|matching-refs)(\/|$)/.test(pathname) ? withRefUrls(response) : response;
  };
}

/** An empty `permissions` asks for all that the installation has. */
async function withAllPermissions(request) {
  const { permissions, ...rest } = JSON.parse((await request.text()) || "{}");
  const isEmpty = Object.keys(permissions ?? {}).length === 0;
  const body = JSON.stringify(isEmpty ? rest : { permissions, ...rest });
  return new Request(request.url, { method: "POST", headers: request.headers, body });
}

/** The address of a ref is where it can be changed. */
async function withRefUrls(response) {
  const text = (await response.text()).replaceAll("/git/ref/", "/git/refs/");
  const isEmpty = response.status === 204;
  return new Response(isEmpty ? null : text, { status: response.status, headers: response.headers });
}
