//! Projects: a name, settings, and a folder of files.

use svc_contract::{
    registry::{params, record},
    value::Text,
};
use svc_store::book::{DeskAdded, DeskFilter, DeskKind, DeskRow};

use super::{
    Desk, Page, ProjectState, ResourceBounds, ResourceState, Thresholds, at, body, conflict,
    files::ResourceBody, quality, short, state, text, word,
};
use crate::{Bounds, Fault, Why, components::core};

/// The most projects that are not archived.
const MOST: i64 = 1000;

/// The most tags of a project.
const MOST_TAGS: usize = 32;

record! {
    /// What holds for the sessions of a project.
    pub struct ProjectSettings {
        /// The bounds of each session that sets none.
        bounds: Option<ResourceBounds>,
        /// The language model of its answers.
        model: Option<Text>,
        /// The least values of quality, below which an output is marked.
        thresholds: Option<Thresholds>,
    }
}

record! {
    /// A project.
    pub struct Project {
        /// `prj_` and 26 signs.
        id: Text,
        /// No other project that is active has it.
        name: Text,
        /// What it is about.
        description: Text,
        /// Words to find it by.
        tags: Vec<Text>,
        /// What holds for its sessions.
        settings: ProjectSettings,
        /// Whether it is in use.
        state: ProjectState,
        /// How many files it has.
        resource_count: i64,
        /// The size of its files.
        bytes: i64,
        /// When it was created.
        created_at: Text,
    }
}

record! {
    /// Some projects.
    pub struct Projects {
        /// The projects, the first one first.
        projects: Vec<Project>,
        /// Where the next page begins.
        next_cursor: Option<Text>,
    }
}

params! {
    /// A project to be created.
    pub struct NewProject {
        /// Its name, at most 120 letters.
        pub name: Text,
        /// What it is about.
        pub description: Option<Text> = None,
        /// Words to find it by, at most 32.
        pub tags: Option<Vec<Text>> = None,
        /// What holds for its sessions.
        pub settings: Option<ProjectSettings> = None,
    }
}

params! {
    /// Which projects.
    pub struct ProjectFilter {
        /// Only those in this state.
        pub state: Option<ProjectState> = None,
        /// Only those with this in their name.
        pub q: Option<Text> = None,
        /// The most projects of a page.
        #[range(1..=200)]
        pub limit: i64 = 50,
        /// Where the page begins.
        pub cursor: Option<Text> = None,
    }
}

record! {
    /// What is kept of a project.
    pub(super) struct ProjectBody {
        /// As it was typed.
        name: Text,
        /// What it is about.
        description: Text,
        /// Words to find it by.
        tags: Vec<Text>,
        /// What holds for its sessions.
        settings: ProjectSettings,
    }
}

impl Desk {
    /// Creates a project.
    pub async fn create_project(&self, new: NewProject) -> Result<Project, Fault> {
        let name = short("name", &new.name, 120)?;
        let description = new.description.unwrap_or_else(|| text(""));
        if description.chars().count() > 2000 {
            return Err(Fault::field("description", "expected at most 2000 letters"));
        }
        let tags = new.tags.unwrap_or_default();
        if tags.len() > MOST_TAGS {
            return Err(Fault::field("tags", format!("expected at most {MOST_TAGS} tags")));
        }
        for (idx, tag) in tags.iter().enumerate() {
            short(&format!("tags[{idx}]"), tag, 64)?;
        }
        let settings =
            new.settings.unwrap_or(ProjectSettings { bounds: None, model: None, thresholds: None });
        test_bounds(settings.bounds.as_ref(), "settings.bounds")?;
        quality::test(settings.thresholds.as_ref(), "settings.thresholds")?;
        let kept = ProjectBody { name: name.as_str().into(), description, tags, settings };
        let mut row = self.new_row(DeskKind::Project, self.new_id("prj_"), "", kept);
        row.name = Some(name.to_lowercase());
        row.state = word(ProjectState::Active);
        match self.add(row, (MOST, &["archived"])).await? {
            DeskAdded::Done(row) => self.project_view(&row),
            DeskAdded::Taken(row) => {
                let message = format!("a project has the name `{name}` already: `{}`", row.id);
                let fault = Fault::new(Why::Conflict, message);
                Err(fault.help("choose another name, or archive that project"))
            }
            DeskAdded::Full => {
                let message = format!("there are {MOST} projects already");
                Err(Fault::new(Why::Conflict, message).help("archive some of them"))
            }
        }
    }

    /// The projects, the first one first.
    pub fn projects(&self, filter: &ProjectFilter) -> Result<Projects, Fault> {
        let page = Page::of(filter.limit, filter.cursor.as_ref())?;
        let rows = self.rows(
            DeskKind::Project,
            &DeskFilter {
                state: filter.state.map(word),
                named: filter.q.as_ref().map(|it| it.to_lowercase()).filter(|it| !it.is_empty()),
                after: page.after,
                limit: Some(page.most()),
                ..DeskFilter::default()
            },
        )?;
        let (rows, next_cursor) = page.cut(rows);
        let projects = rows.iter().map(|it| self.project_view(it)).collect::<Result<_, _>>()?;
        Ok(Projects { projects, next_cursor })
    }

    /// A project.
    pub fn project(&self, id: &str) -> Result<Project, Fault> {
        self.project_view(&self.row(DeskKind::Project, id)?)
    }

    /// Archives a project, or takes it back into use. Its files stay.
    pub async fn archive_project(&self, id: &str, is_archived: bool) -> Result<Project, Fault> {
        let row = self.change(DeskKind::Project, id, move |row| {
            let wanted = if is_archived { ProjectState::Archived } else { ProjectState::Active };
            if state::<ProjectState>(row)? == wanted {
                return Err(conflict(row, if is_archived { "archived" } else { "restored" }));
            }
            // The name of an archived project is free for others.
            let kept: ProjectBody = body(row)?;
            row.name = (!is_archived).then(|| kept.name.to_lowercase());
            row.state = word(wanted);
            Ok(())
        });
        self.project_view(&row.await.map_err(taken)?)
    }

    /// A project that is in use.
    pub(super) fn active_project(&self, id: &str) -> Result<DeskRow, Fault> {
        let row = self.row(DeskKind::Project, id)?;
        match state(&row)? {
            ProjectState::Active => Ok(row),
            ProjectState::Archived => Err(conflict(&row, "used").help("restore it first")),
        }
    }

    pub(super) fn project_settings(&self, id: &str) -> Result<ProjectSettings, Fault> {
        Ok(body::<ProjectBody>(&self.row(DeskKind::Project, id)?)?.settings)
    }

    fn project_view(&self, row: &DeskRow) -> Result<Project, Fault> {
        let kept: ProjectBody = body(row)?;
        let of = DeskFilter {
            parent: Some(row.id.clone()),
            state: Some(word(ResourceState::Ready)),
            ..DeskFilter::default()
        };
        let files = self.rows(DeskKind::Resource, &of)?;
        let mut bytes = 0;
        for file in &files {
            bytes += body::<ResourceBody>(file)?.bytes;
        }
        Ok(Project {
            id: text(&row.id),
            name: kept.name,
            description: kept.description,
            tags: kept.tags,
            settings: kept.settings,
            state: state(row)?,
            resource_count: i64::try_from(files.len()).unwrap_or(i64::MAX),
            bytes,
            created_at: at(row.at),
        })
    }
}

/// A name that another project has got meanwhile.
fn taken(fault: Fault) -> Fault {
    if fault.message.contains("UNIQUE") {
        let message = "another project has its name now";
        return Fault::new(Why::Conflict, message).help("archive that one first");
    }
    fault
}

/// Whether bounds leave something.
pub(super) fn test_bounds(bounds: Option<&ResourceBounds>, field: &str) -> Result<(), Fault> {
    if bounds.and_then(|it| it.timeout_sec) == Some(0) {
        let message = "expected at least 1 second, found 0";
        return Err(Fault::field(format!("{field}.timeout_sec"), message));
    }
    let tested = core::with(bounds.cloned(), Bounds::default()).map(drop);
    // Its field is named from `bounds` on.
    let outer = field.strip_suffix("bounds").unwrap_or_default();
    tested.map_err(|fault| {
        let fields = fault
            .fields
            .into_iter()
            .map(|it| crate::FieldFault { field: format!("{outer}{}", it.field), ..it });
        Fault { fields: fields.collect(), ..fault }
    })
}
